import assert from "node:assert/strict";
import { test } from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { PrecisionSetting } from "../network/precision.ts";
import { openEngine } from "./engine.ts";
import { EngineChoice } from "./modelled.ts";
import type { EngineImage } from "./work.ts";

const lane = laneId("Dlib", "ssd");

test("ENGINE is onnx, or a wait of alpha + beta times the batch", () => {
  assert.equal(EngineChoice.parse("onnx"), undefined);
  assert.deepEqual(EngineChoice.parse("model:40+2b"), { alphaMs: 40, betaMs: 2 });
  assert.deepEqual(EngineChoice.parse("model:0+0.5b"), { alphaMs: 0, betaMs: 0.5 });
  for (const wrong of ["model", "model:40", "model:40+2", "model:-1+2b", "cuda", "model:40+2b "]) {
    assert.equal(EngineChoice.safeParse(wrong).success, false, wrong);
  }
});

test("a modelled engine needs no model file, and pads a batch to a size that it runs", async () => {
  await using engine = await openEngine({ ...options, batchMax: 6 });
  assert.deepEqual(engine.lanes, [
    {
      lane,
      executionProvider: "model:50+2b",
      build: engine.lanes[0]!.build,
      precisions: [],
      sizes: [1, 2, 4, 6].map((size) => ({ size, runMs: 50 + 2 * size })),
    },
  ]);
  const { results, usage } = await engine.run({ lane, images: [image, image, image] });
  assert.ok(usage.runMs >= 57, `${usage.runMs} ms`);
  assert.ok(usage.cpuMs < usage.runMs / 2, `it waits, and does not compute: ${usage.cpuMs} ms`);
  for (const result of results) {
    assert.equal(result.kind, "faces");
    const [face] = result.kind === "faces" ? result.faces : [];
    assert.equal(Buffer.from(face!.embedding, "base64").length, 4 * 128);
  }
  assert.equal(results.length, 3);
});

const image: EngineImage = {
  pixels: new Uint8Array(new SharedArrayBuffer(3)),
  width: 1,
  height: 1,
  originalWidth: 1,
  originalHeight: 1,
  options: { align: true, enforceDetection: true, facesMax: 1, fullResolution: false },
};

const options = {
  modelled: { alphaMs: 50, betaMs: 2 },
  modelsDir: "/nowhere",
  lanes: [lane],
  executionProvider: "cpu" as const,
  intraOpThreads: 1,
  batchMax: 3,
  detectorChunkMax: 1,
  faceChunkMax: 1,
  precision: PrecisionSetting.parse("auto"),
};
