import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { RecordedLine } from "@faceline/contracts/recording/recorded-call";
import { testRecord } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import { CallStream } from "./call-stream.ts";

test("a call is a line with its sizes, and without the name of its team", async (t) => {
  const stream = new CallStream();
  const lines = open(t, stream);
  stream.add(ended({ tenant: "team-a" }));
  stream.add(ended({ tenant: "team-b" }));
  const [first, second] = await read(lines, 2);
  const { tenant, ...call } = first as { tenant: number };
  assert.deepEqual(call, {
    at: 1_000,
    lane: "SFace/auto",
    deadlineMs: 2_000,
    images: [[41_000, 327_680]],
    outcome: "answered",
    tookMs: 50,
    serviceMs: 50,
  });
  assert.notEqual((second as { tenant: number }).tenant, tenant);
  assert.doesNotMatch(JSON.stringify([first, second]), /team|request/);
});

test("a tenant has the same number at two ingresses for one salt, and another one for another salt", async (t) => {
  const numbers = await Promise.all(
    ["salt", "salt", "other"].map(async (salt) => {
      const stream = new CallStream();
      const lines = open(t, stream, salt);
      stream.add(ended({ tenant: "team-a" }));
      return ((await read(lines, 1))[0] as { tenant: number }).tenant;
    }),
  );
  assert.equal(numbers[0], numbers[1]);
  assert.notEqual(numbers[0], numbers[2]);
});

test("how a call ended is recorded; what reached no queue is left out", async (t) => {
  const stream = new CallStream();
  const lines = open(t, stream);
  stream.add(ended({ status: 429, error: "rate_limited" }));
  stream.add(ended({ status: 400, error: "invalid_image" }));
  stream.add(ended({ imageSizes: [] }));
  stream.add(ended({ status: 503, error: "queue_timeout", imageSizes: [], lane: undefined }));
  stream.add(ended({ status: 400, error: "no_face_detected" }));
  stream.add(ended({ status: 504, error: "upstream_timeout" }));
  stream.add(ended({ status: 502, error: "upstream_failed" }));
  stream.add(ended({ status: undefined }));
  const calls = (await read(lines, 5)) as { outcome: string; lane?: string }[];
  assert.deepEqual(
    calls.map(({ outcome }) => outcome),
    ["shed", "answered", "late", "failed", "left"],
  );
  assert.equal(calls[0]!.lane, undefined);
});

test("a reader that is too slow misses calls, learns how many, and goes on", async (t) => {
  const stream = new CallStream();
  const lines = open(t, stream);
  for (let i = 0; i < 20_000; i++) stream.add(ended({}));
  let [calls, dropped] = [0, 0];
  while (calls + dropped < 20_000) {
    for (const line of await read(lines, 1)) {
      if ("dropped" in line) dropped += line.dropped as number;
      else calls++;
    }
  }
  assert.ok(dropped > 0 && calls > 5_000, `${calls} and ${dropped}`);
  stream.add(ended({}));
  assert.equal((await read(lines, 1)).length, 1);
});

test("two may read at a time, and a place is free again once a reader has gone", async (t) => {
  const stream = new CallStream();
  const first = open(t, stream);
  open(t, stream);
  assert.equal(stream.open(""), undefined);
  first.destroy();
  await once(first, "close");
  open(t, stream);
});

function open(t: { after(done: () => void): void }, stream: CallStream, salt = "") {
  const lines = stream.open(salt)!;
  assert.ok(lines !== undefined);
  t.after(() => void lines.destroy());
  return lines;
}

/** Reads until there are so many lines that are not empty. */
async function read(lines: ReturnType<typeof open>, count: number): Promise<Record<string, unknown>[]> {
  let text = "";
  const found = () => text.split("\n").filter((line) => line !== "");
  while (found().length < count) {
    const chunk = lines.read() as Buffer | null;
    if (chunk === null) await once(lines, "readable");
    else text += chunk.toString();
  }
  return found().map((line) => RecordedLine.parse(JSON.parse(line)) as Record<string, unknown>);
}

function ended({ error, ...changes }: Changes): Parameters<CallStream["add"]>[0] {
  const record = testRecord(() => 1_000);
  const imageSizes = [{ bytes: 41_000, pixels: 327_680 }];
  const { status, ...fields } = { status: 200, ...changes };
  Object.assign(record, { tenant: "team-a", lane: "SFace/auto", imageSizes }, fields);
  if (error !== undefined) record.error = new ApiError(error, "…");
  return { record, status, endedAt: 1_050, parts: record.parts(1_050) };
}

type Changes = {
  tenant?: string;
  status?: number | undefined;
  error?: ConstructorParameters<typeof ApiError>[0];
  imageSizes?: [];
  lane?: undefined;
};
