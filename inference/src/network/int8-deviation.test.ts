import assert from "node:assert/strict";
import { test } from "node:test";
import { int8Deviation, type Outputs } from "./int8-deviation.ts";

function outputs(named: Record<string, number[]>): Outputs {
  return new Map(Object.entries(named).map(([name, numbers]) => [name, Float32Array.from(numbers)]));
}

test("a detector is compared at the best anchor of each precision", () => {
  const float = outputs({ scores: [0.1, 0.7], boxes: [0, 0, 1, 1, 0.2, 0.2, 0.8, 0.8] });
  const withFace = (score: number, bottom: number, other = 0.1) =>
    outputs({ scores: [other, score], boxes: [0, 0, 1, 1, 0.2, 0.2, bottom, 0.8] });
  assert.equal(int8Deviation(float, withFace(0.65, 0.82)), undefined);
  assert.match(int8Deviation(float, withFace(0.2, 0.8))!, /a score is 2\.2 off/);
  assert.match(int8Deviation(float, withFace(0.7, 0.5))!, /an IoU of only 0\.50/);
  assert.match(int8Deviation(float, withFace(0.7, 0.8, 0.9))!, /a score is 4\.4 off/);
  assert.match(int8Deviation(float, withFace(Number.NaN, 0.8))!, /off/);
  assert.match(int8Deviation(float, withFace(0.7, Number.NaN))!, /IoU/);
});

test("scores of 0 and 1 agree with themselves only", () => {
  const sure = (score: number) => outputs({ scores: [score], boxes: [0, 0, 1, 1] });
  assert.equal(int8Deviation(sure(1), sure(1)), undefined);
  assert.equal(int8Deviation(sure(0), sure(0)), undefined);
  assert.match(int8Deviation(sure(1), sure(0.9))!, /off/);
});

test("an embedding is compared by its distance, as a share of the threshold", () => {
  const float = outputs({ embedding: [3, 4] });
  assert.equal(int8Deviation(float, outputs({ embedding: [3.1, 4.1] }), 1), undefined);
  assert.match(int8Deviation(float, outputs({ embedding: [2.8, 4] }), 1)!, /0\.20 of the threshold/);
  assert.match(int8Deviation(float, outputs({ embedding: [Number.NaN, 4] }), 1)!, /off/);
});
