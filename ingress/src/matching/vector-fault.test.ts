import assert from "node:assert/strict";
import { test } from "node:test";
import { vectorFault } from "./vector-fault.ts";

const dlib = { name: "Dlib", embedding_norm: { min: 1.2, max: 1.8 } };
const mobileFaceNet = { name: "MobileFaceNet" };
/** 128 different numbers. The squares of their sines add up to half their count. */
const ofLength = (norm: number): number[] =>
  Array.from({ length: 128 }, (_, i) => (norm * Math.sin(((2 * i + 1) * Math.PI) / 128)) / 8);
const rounded = (vector: number[], decimals: number): number[] =>
  vector.map((number) => Number(number.toFixed(decimals)));

test("by euclidean, a vector of length 1 is refused where the model's own have other lengths", () => {
  const ones = [
    ofLength(1),
    [...Float32Array.from(ofLength(1))],
    ...[2, 3, 4, 6].map((decimals) => rounded(ofLength(1), decimals)),
    [1, ...Array<number>(127).fill(0)],
  ];
  for (const one of ones) {
    assert.match(vectorFault(one, dlib, "euclidean")!, /^has length 1: compare it by cosine or euclidean_l2/);
    assert.equal(vectorFault(one, dlib, "cosine"), undefined);
    assert.equal(vectorFault(one, dlib, "euclidean_l2"), undefined);
    assert.equal(vectorFault(one, mobileFaceNet, "euclidean"), undefined);
  }
});

test("by euclidean, rescaled vectors are refused, and raw ones are taken, rounded ones too", () => {
  for (const norm of [0.01, 0.9, 1.15, 1.9, 3, 100, 127, 255]) {
    const fault = vectorFault(ofLength(norm), dlib, "euclidean");
    assert.match(fault!, /^does not have the length of an embedding of Dlib \(lengths from 1\.2 to 1\.8\)/);
    assert.equal(vectorFault(ofLength(norm), dlib, "cosine"), undefined);
  }
  for (const norm of [1.289, 1.397, 1.5, 1.643]) {
    for (const decimals of [2, 4, 6]) {
      assert.equal(vectorFault(rounded(ofLength(norm), decimals), dlib, "euclidean"), undefined);
    }
  }
  assert.match(vectorFault(ofLength(1.5), mobileFaceNet, "euclidean")!, /MobileFaceNet \(length 1\)/);
});

test("vectors without a direction, or beyond any number format, are no embedding by any metric", () => {
  for (const metric of ["cosine", "euclidean", "euclidean_l2"] as const) {
    for (const norm of [0, 5e-324, 1e-300, 1e-30, 1e-7]) {
      assert.match(vectorFault(ofLength(norm), dlib, metric)!, /zero, or nearly/);
    }
    for (const norm of [1e13, 1e154, 1e200, 1.7e308]) {
      assert.match(vectorFault(ofLength(norm), dlib, metric)!, /too large/);
    }
  }
});
