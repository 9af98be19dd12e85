import assert from "node:assert/strict";
import { test } from "node:test";
import { type Box, bySize, clip, overlap, select } from "./selection.ts";

const limits = { scoreMin: 0.5, overlapMax: 0.5 };

test("overlap is the common part of both together", () => {
  assert.equal(overlap(box(0, 0, 10, 10), box(0, 0, 10, 10)), 1);
  assert.equal(overlap(box(0, 0, 10, 10), box(5, 0, 15, 10)), 50 / 150);
  assert.equal(overlap(box(0, 0, 10, 10), box(10, 0, 20, 10)), 0);
  assert.equal(overlap(box(0, 0, 10, 10), box(20, 20, 30, 30)), 0);
  assert.equal(overlap(box(0, 0, 0, 0), box(0, 0, 0, 0)), 0);
});

test("of boxes that overlap the best stays; what touches it less stays as well", () => {
  const found = choose([
    [box(0.1, 0.1, 0.5, 0.5), 0.7],
    [box(0.12, 0.1, 0.52, 0.5), 0.9],
    [box(0.6, 0.6, 0.9, 0.9), 0.6],
    [box(0.35, 0.1, 0.75, 0.5), 0.8],
  ]);
  assert.deepEqual(
    found.map(({ score }) => score),
    [0.9, 0.8, 0.6],
  );
});

test("a box that only a dropped one overlaps stays", () => {
  const found = choose([
    [box(0, 0, 0.4, 0.4), 0.9],
    [box(0.1, 0, 0.5, 0.4), 0.8],
    [box(0.2, 0, 0.6, 0.4), 0.7],
  ]);
  assert.deepEqual(
    found.map(({ score }) => score),
    [0.9, 0.7],
  );
});

test("a score must be above the limit, not at it", () => {
  assert.equal(choose([[box(0, 0, 1, 1), 0.5]]).length, 0);
  assert.equal(choose([[box(0, 0, 1, 1), 0.501]]).length, 1);
});

test("of equal scores the earlier anchor stays", () => {
  const [kept, ...others] = choose([
    [box(0, 0, 0.4, 0.4), 0.75],
    [box(0.01, 0, 0.41, 0.4), 0.75],
  ]);
  assert.deepEqual([kept!.left, others.length], [0, 0]);
});

test("no more than a hundred, the best", () => {
  const many = Array.from({ length: 150 }, (_, i): [Box, number] => {
    const left = (i % 15) / 15;
    const top = Math.floor(i / 15) / 10;
    return [box(left, top, left + 0.05, top + 0.05), 0.5 + (i + 1) / 512];
  });
  const found = choose(many);
  assert.equal(found.length, 100);
  assert.equal(found.at(-1)!.score, 0.599609, "the 51st from below");
});

test("a box is cut to the picture; one with less than a pixel in it is none", () => {
  const picture = { width: 100, height: 50 };
  assert.deepEqual(clip(box(-10, -10, 120, 60), picture), box(0, 0, 100, 50));
  assert.deepEqual(clip(box(10, 10, 20, 20), picture), box(10, 10, 20, 20));
  assert.equal(clip(box(-10, 10, 0.9, 20), picture), undefined);
  assert.equal(clip(box(110, 10, 120, 20), picture), undefined);
  assert.equal(clip(box(20, 20, 10, 10), picture), undefined);
});

test("faces are ordered by size, then score, then place", () => {
  const large = { ...box(5, 5, 15, 15), score: 0.6 };
  const sure = { ...box(30, 30, 35, 35), score: 0.9 };
  const left = { ...box(0, 20, 5, 25), score: 0.8 };
  const upper = { ...box(10, 3, 15, 8), score: 0.8 };
  const lower = { ...box(10, 9, 15, 14), score: 0.8 };
  assert.deepEqual([lower, upper, left, sure, large].toSorted(bySize), [large, sure, left, upper, lower]);
});

function choose(faces: [Box, number][]) {
  const boxes = faces.flatMap(([{ left, top, right, bottom }]) => [top, left, bottom, right]);
  const scores = faces.map(([, score]) => score);
  const found = select({ boxes: Float32Array.from(boxes), scores: Float32Array.from(scores) }, limits);
  return found.map((face) => ({ ...face, score: Math.round(face.score * 1e6) / 1e6 }));
}

function box(left: number, top: number, right: number, bottom: number): Box {
  return { left, top, right, bottom };
}
