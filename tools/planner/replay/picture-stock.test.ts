import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { type PictureSize, type Trace, TraceBuilder } from "../trace/trace.ts";
import { stockPictures } from "./picture-stock.ts";

const samples = join(import.meta.dirname, "../../../web/src/samples");
const photographs = ["ada-1.jpg", "dia-1.jpg"].map((name) => readFileSync(join(samples, name)));

test("each picture of a trace has its bytes, and those of one size differ", async () => {
  const trace = traceOf([20_000, 30_000, 20_000].map((bytes) => ({ bytes, pixels: 20_000 })));
  const { pictures, pictureOf, roundedTo, larger } = await stockPictures(trace, photographs, () => {});
  assert.deepEqual([roundedTo, larger, pictures.length], [1, 0, 4]);
  const base64Of = (index: number) => Buffer.from(pictures[pictureOf[index]!]!).toString();
  const lengths = [0, 1, 2].map((index) => Buffer.from(base64Of(index), "base64").length);
  assert.deepEqual(lengths, [20_000, 30_000, 20_000]);
  assert.deepEqual([...pictureOf], [0, 3, 0]);
  assert.notDeepEqual(pictures[0], pictures[1]);
});

test("of thousands of sizes, close ones share a picture", async () => {
  const sizes = Array.from({ length: 3_000 }, (_, i) => ({ bytes: 3_000 + i, pixels: 1_000 }));
  const { pictures, roundedTo } = await stockPictures(traceOf(sizes), photographs, () => {});
  assert.equal(roundedTo, 1.02);
  assert.ok(pictures.length < 60, `${pictures.length}`);
});

test("a photograph that does not fit into the bytes is counted", async () => {
  const { larger } = await stockPictures(traceOf([{ bytes: 10, pixels: 300 }]), photographs, () => {});
  assert.equal(larger, 2);
});

function traceOf(sizes: PictureSize[]): Trace {
  const builder = new TraceBuilder();
  const call = { atMs: 0, tenant: 0, lane: LaneId.parse("Dlib/ssd"), timeBudgetMs: 1_000 };
  for (const size of sizes) builder.add({ ...call, pictures: [size] });
  return builder.build();
}
