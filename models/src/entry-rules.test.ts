import assert from "node:assert/strict";
import { test } from "node:test";
import { entryIn, mistakesWith } from "../testing/entry-mistakes.ts";
import type { Build } from "./catalogue-entry.ts";

test("euclidean_l2 follows from cosine, and an output is as wide as the embedding", async () => {
  const thresholds = { cosine: 0.08, euclidean: 0.6, euclidean_l2: 0.3808 };
  assert.deepEqual(await mistakesWith("dlib", { thresholds, embedding_size: 512 }), [
    "thresholds.euclidean_l2: must be sqrt(2 * cosine), to four decimals",
    "embedding_size: must be the width of an output",
  ]);
});

test("a threshold that no distance exceeds is refused: euclidean, by the longest embedding", async () => {
  const thresholds = { cosine: 0.08, euclidean: 80, euclidean_l2: 0.4 };
  const tooLarge = "thresholds.euclidean: must be at most twice the longest embedding (embedding_norm)";
  assert.deepEqual(await mistakesWith("dlib", { thresholds }), [tooLarge]);
  assert.deepEqual(await mistakesWith("dlib", { thresholds: { ...thresholds, euclidean: 3.6 } }), []);
  assert.deepEqual(await mistakesWith("dlib", { thresholds: { ...thresholds, euclidean: 3.7 } }), [tooLarge]);
  // Without lengths they are 1.
  const unit = { thresholds: { ...thresholds, euclidean: 2.1 }, embedding_norm: undefined };
  assert.deepEqual(await mistakesWith("dlib", unit), [tooLarge]);
  assert.deepEqual(await mistakesWith("dlib", { embedding_norm: { min: 2, max: 1 } }), [
    "embedding_norm: must not end below its start",
  ]);
});

test("the input tensor and the builds have the model's own side", async () => {
  assert.deepEqual(await mistakesWith("dlib", { input_px: 160 }), [
    "input_px: must be the side of the input tensor",
    "builds: must exist for every side in every precision",
  ]);
});

test("each side of a cascade is built in every precision, and none twice", async () => {
  const { builds } = (await entryIn("ssd")) as { builds: Build[] };
  assert.deepEqual(await mistakesWith("ssd", { builds: builds.slice(1) }), [
    "builds: must exist for every side in every precision",
  ]);
  assert.deepEqual(await mistakesWith("ssd", { builds: [...builds, builds[0]] }), [
    "builds: must have one build per precision and side",
  ]);
});

test("the clear scores of a cascade enclose the score of a face", async () => {
  const { cascade } = (await entryIn("ssd")) as { cascade: object };
  // Its faces have scores above 0.5.
  for (const clear of [
    { below: 0.6, from: 0.8 },
    { below: 0.1, from: 0.4 },
  ]) {
    assert.deepEqual(await mistakesWith("ssd", { cascade: { ...cascade, clear } }), [
      "cascade.clear: must hold selection.score_min between below and from",
    ]);
  }
});

test("a cascade ends with the model's own side", async () => {
  const { cascade, builds } = (await entryIn("ssd")) as { cascade: { input_px: number[] }; builds: Build[] };
  const input_px = cascade.input_px.slice(0, -1);
  const built = builds.filter((build) => input_px.includes(build.input_px));
  assert.deepEqual(await mistakesWith("ssd", { cascade: { ...cascade, input_px }, builds: built }), [
    "cascade: must end with the model's own side",
  ]);
});

test("outputs name tensors, and a landmark scheme fits its tensor", async () => {
  assert.deepEqual(await mistakesWith("dlib", { outputs: { embedding: "features" } }), [
    "outputs: must name tensors of tensors.outputs",
  ]);
  assert.deepEqual(await mistakesWith("landmarks-68", { scheme: "five_point" }), [
    "scheme: must have as many points as the output, two numbers each",
  ]);
});

test("a finished file is the one build of its entry", async () => {
  const file = { path: "dlib.onnx", sha256: "0".repeat(64) };
  const source = { kind: "onnx_file", file, origin: "a test" };
  assert.deepEqual(await mistakesWith("dlib", { source }), ["builds: must be one, the file of the source"]);
});
