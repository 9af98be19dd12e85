import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "./catalogue.ts";
import { modelVersionOf } from "./model-version.ts";

const catalogue = await readCatalogue();
const dlib = catalogue.find("embedding", "Dlib")!;
const landmarks = catalogue.find("landmarks", dlib.landmarks)!;
const otherFile = { path: "weights.bin", sha256: "0".repeat(64) };

test("a version follows the weights of the model and of its landmarks", () => {
  assert.match(modelVersionOf(dlib, landmarks), /^[0-9a-f]{12}$/);
  assert(dlib.source.kind === "npm_tfjs" && landmarks.source.kind === "npm_tfjs");
  const versions = [
    modelVersionOf(dlib, landmarks),
    modelVersionOf({ ...dlib, source: { ...dlib.source, weights: [otherFile] } }, landmarks),
    modelVersionOf(dlib, { ...landmarks, source: { ...landmarks.source, weights: [otherFile] } }),
  ];
  assert.equal(new Set(versions).size, 3);
});

test("a version is that of every build: precision and engine do not change it", () => {
  for (const build of dlib.builds) {
    assert.equal(modelVersionOf({ ...dlib, builds: [build] }, landmarks), modelVersionOf(dlib, landmarks));
  }
});
