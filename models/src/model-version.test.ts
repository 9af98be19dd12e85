import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "./catalogue.ts";
import { modelVersionOf } from "./model-version.ts";

const catalogue = await readCatalogue();
const dlib = catalogue.find("embedding", "Dlib")!;
const landmarks = catalogue.find("landmarks", dlib.landmarks)!;
const otherFile = { path: "weights.bin", sha256: "0".repeat(64) };

test("a version follows the weights of the model and of its landmarks, its chip, and their scheme", () => {
  assert.match(modelVersionOf(dlib, landmarks), /^[0-9a-f]{12}$/);
  assert(dlib.source.kind === "npm_tfjs" && landmarks.source.kind === "npm_tfjs");
  const versions = [
    modelVersionOf(dlib, landmarks),
    modelVersionOf({ ...dlib, source: { ...dlib.source, weights: [otherFile] } }, landmarks),
    modelVersionOf({ ...dlib, chip: { a: 1, c: 0, e: 0, f: 0 } }, landmarks),
    modelVersionOf(dlib, { ...landmarks, source: { ...landmarks.source, weights: [otherFile] } }),
    modelVersionOf(dlib, { ...landmarks, scheme: "five_point" }),
  ];
  assert.equal(new Set(versions).size, versions.length);
});

test("a version is that of every build, name and threshold: they do not change embeddings", () => {
  const thresholds = { cosine: 0.01, euclidean: 0.1, euclidean_l2: 0.1414 };
  const others = [
    ...dlib.builds.map((build) => ({ ...dlib, builds: [build] })),
    { ...dlib, name: "Own", title: "Another", licenses: [], provenance: ["Elsewhere."] },
    { ...dlib, thresholds, batch_buckets: [1], calibration: undefined },
  ];
  for (const other of others) assert.equal(modelVersionOf(other, landmarks), modelVersionOf(dlib, landmarks));
});
