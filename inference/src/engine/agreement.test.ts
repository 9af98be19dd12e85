import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outputs, strayOf } from "./agreement.ts";

const outputs = (named: Record<string, number[]>): Outputs =>
  new Map(Object.entries(named).map(([name, numbers]) => [name, Float32Array.from(numbers)]));

test("a detector is judged by the anchors that either precision is surest of", () => {
  const float = outputs({ scores: [0.1, 0.7], boxes: [0, 0, 1, 1, 0.2, 0.2, 0.8, 0.8] });
  const with_ = (score: number, bottom: number, other = 0.1) =>
    outputs({ scores: [other, score], boxes: [0, 0, 1, 1, 0.2, 0.2, bottom, 0.8] });
  assert.equal(strayOf("detector", float, with_(0.65, 0.82)), undefined);
  assert.match(strayOf("detector", float, with_(0.2, 0.8))!, /a score is 2\.2 off/);
  assert.match(strayOf("detector", float, with_(0.7, 0.5))!, /overlaps by 0\.50 only/);
  assert.match(strayOf("detector", float, with_(0.7, 0.8, 0.9))!, /a score is 4\.4 off/);
  assert.match(strayOf("detector", float, with_(Number.NaN, 0.8))!, /off/);
  assert.match(strayOf("detector", float, with_(0.7, Number.NaN))!, /overlaps/);
});

test("scores of 1 and of 0 agree with themselves, and with nothing far from them", () => {
  const sure = (score: number) => outputs({ scores: [score], boxes: [0, 0, 1, 1] });
  assert.equal(strayOf("detector", sure(1), sure(1)), undefined);
  assert.equal(strayOf("detector", sure(0), sure(0)), undefined);
  assert.match(strayOf("detector", sure(1), sure(0.9))!, /off/);
});

test("landmarks are judged by the one that is furthest off", () => {
  const float = outputs({ points: [0.5, 0.5, 0.2, 0.2] });
  assert.equal(strayOf("landmarks", float, outputs({ points: [0.52, 0.5, 0.2, 0.17] })), undefined);
  assert.match(
    strayOf("landmarks", float, outputs({ points: [0.5, 0.5, 0.2, 0.35] }))!,
    /0\.15 of the face's width/,
  );
});

test("an embedding is judged by how far it is, in its own length", () => {
  const float = outputs({ embedding: [3, 4] });
  assert.equal(strayOf("embedding", float, outputs({ embedding: [3.1, 4.1] })), undefined);
  assert.match(strayOf("embedding", float, outputs({ embedding: [0, 4] }))!, /0\.60 of its length/);
  assert.match(strayOf("embedding", float, outputs({ embedding: [Number.NaN, 4] }))!, /off/);
});
