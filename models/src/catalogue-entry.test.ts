import assert from "node:assert/strict";
import { test } from "node:test";
import { mistakesWith } from "../testing/entry-mistakes.ts";
import { readCatalogue } from "./catalogue.ts";
import { euclideanL2Of, inputSides } from "./catalogue-entry.ts";

test("every field that is wrong is reported, also one that no entry has", async () => {
  const tensors = { inputs: [{ name: "image", type: "uint8", shape: [1, 150, 150, 3] }], outputs: [] };
  const changes = { batch_buckets: [1, 4, 2], normalization: ["base"], tensors };
  assert.deepEqual(await mistakesWith("dlib", changes), [
    'tensors.inputs.0.shape.0: Invalid input: expected "N"',
    "tensors.outputs: Too small: expected array to have >=1 items",
    "batch_buckets: must ascend, from 1",
    ': Unrecognized key: "normalization"',
  ]);
});

test("a cascade must ascend", async () => {
  const cascade = { input_px: [224, 144, 512], clear: { below: 0.1, from: 0.8 }, missed_width_share: 0 };
  assert.deepEqual(await mistakesWith("ssd", { cascade }), ["cascade.input_px: must ascend"]);
});

test("a range that ends below its start is rejected", async () => {
  const calibration = { measured_on: "nothing", headroom: 1.1, ranges: { relu: [3, 0] } };
  assert.deepEqual(await mistakesWith("dlib", { calibration }), [
    "calibration.ranges.relu: must not end below its start",
  ]);
});

test("a malformed hash and a file name outside the folder are rejected", async () => {
  const build = { precision: "float32", input_px: 150, file: "../dlib.onnx", bytes: 1, sha256: "abc" };
  assert.deepEqual(await mistakesWith("dlib", { builds: [build] }), [
    "builds.0.file: must be a plain file name that ends in .onnx",
    "builds.0.sha256: must be 64 hexadecimal digits",
  ]);
});

test("what is pulled is pinned, and stays inside its folder", async () => {
  const { source } = (await readCatalogue()).find("embedding", "MobileFaceNet")!;
  assert.ok(source.kind === "npm_tarball");
  const outside = { ...source, integrity: "sha1-abc", manifest: { ...source.manifest, path: "../a.json" } };
  assert.deepEqual(await mistakesWith("dlib", { source: outside }), [
    "source.integrity: must be a sha512 integrity",
    "source.manifest.path: must be a plain path inside the package",
  ]);
});

test("the euclidean_l2 threshold is equivalent to the cosine threshold", () => {
  assert.equal(euclideanL2Of(0.5), 1);
  assert.equal(euclideanL2Of(0.0725), 0.3808);
});

test("the input sides of a model are those of its cascade, or its own alone", () => {
  assert.deepEqual(inputSides({ input_px: 512, cascade: { input_px: [144, 512] } }), [144, 512]);
  assert.deepEqual(inputSides({ input_px: 150 }), [150]);
});
