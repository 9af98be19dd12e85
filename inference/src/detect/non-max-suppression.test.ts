import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box } from "../geometry/box.ts";
import { compareBySize, nonMaxSuppression } from "./non-max-suppression.ts";

const limits = { scoreMin: 0.5, iouMax: 0.5 };

test("of boxes that overlap, the best is kept; one that overlaps it less than the limit is kept too", () => {
  const kept = suppress([
    [box(0.1, 0.1, 0.5, 0.5), 0.7],
    [box(0.12, 0.1, 0.52, 0.5), 0.9],
    [box(0.6, 0.6, 0.9, 0.9), 0.6],
    [box(0.35, 0.1, 0.75, 0.5), 0.8],
  ]);
  assert.deepEqual(
    kept.map(({ score }) => score),
    [0.9, 0.8, 0.6],
  );
});

test("a box that overlaps only a suppressed box is kept", () => {
  const kept = suppress([
    [box(0, 0, 0.4, 0.4), 0.9],
    [box(0.1, 0, 0.5, 0.4), 0.8],
    [box(0.2, 0, 0.6, 0.4), 0.7],
  ]);
  assert.deepEqual(
    kept.map(({ score }) => score),
    [0.9, 0.7],
  );
});

test("a score must be greater than the limit", () => {
  assert.equal(suppress([[box(0, 0, 1, 1), 0.5]]).length, 0);
  assert.equal(suppress([[box(0, 0, 1, 1), 0.501]]).length, 1);
});

test("a score or a candidate's box that is not finite is an error, not a face or the lack of one", () => {
  for (const bad of [NaN, Infinity]) {
    assert.throws(() => suppress([[box(0, 0, 1, 1), bad]]), /not finite/);
    assert.throws(() => suppress([[box(0, 0, bad, 1), 0.9]]), /not finite/);
  }
  assert.equal(suppress([[box(0, 0, Infinity, 1), 0.1]]).length, 0, "no candidate: its box does not count");
});

test("of equal scores, the earlier anchor is kept", () => {
  const [kept, ...others] = suppress([
    [box(0, 0, 0.4, 0.4), 0.75],
    [box(0.01, 0, 0.41, 0.4), 0.75],
  ]);
  assert.deepEqual([kept!.left, others.length], [0, 0]);
});

test("at most the 100 best are kept", () => {
  const many = Array.from({ length: 150 }, (_, i): [Box, number] => {
    const left = (i % 15) / 15;
    const top = Math.floor(i / 15) / 10;
    return [box(left, top, left + 0.05, top + 0.05), 0.5 + (i + 1) / 512];
  });
  const kept = suppress(many);
  assert.equal(kept.length, 100);
  assert.equal(kept.at(-1)!.score, 0.599609, "the 51st from below");
});

test("detections are sorted by size, then score, then position", () => {
  const large = { ...box(5, 5, 15, 15), score: 0.6 };
  const highScore = { ...box(30, 30, 35, 35), score: 0.9 };
  const left = { ...box(0, 20, 5, 25), score: 0.8 };
  const upper = { ...box(10, 3, 15, 8), score: 0.8 };
  const lower = { ...box(10, 9, 15, 14), score: 0.8 };
  assert.deepEqual([lower, upper, left, highScore, large].toSorted(compareBySize), [
    large,
    highScore,
    left,
    upper,
    lower,
  ]);
});

function suppress(faces: [Box, number][]) {
  const boxes = faces.flatMap(([{ left, top, right, bottom }]) => [top, left, bottom, right]);
  const scores = faces.map(([, score]) => score);
  const kept = nonMaxSuppression(
    { boxes: Float32Array.from(boxes), scores: Float32Array.from(scores) },
    limits,
  );
  return kept.map((face) => ({ ...face, score: Math.round(face.score * 1e6) / 1e6 }));
}

function box(left: number, top: number, right: number, bottom: number): Box {
  return { left, top, right, bottom };
}
