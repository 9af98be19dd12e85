import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, boxMap, squareMap } from "./affine.ts";
import { angleOf, fitSimilarity, residualOf, scaleOf } from "./similarity.ts";

/** 33 points, spread over a chip of 150 px. */
const chipPoints = Array.from({ length: 33 }, (_, i) => ({
  x: 30 + ((37 * i) % 90),
  y: 30 + ((53 * i) % 90),
}));

test("a fit recovers rotation, scale and shift", () => {
  const made = squareMap({ centre: { x: 310, y: 95 }, side: 420, angle: 0.7 }, 150);
  const seen = chipPoints.map((point) => apply(made, point));
  const fit = fitSimilarity(chipPoints, seen);
  for (const key of ["a", "b", "c", "d", "e", "f"] as const) near(fit[key], made[key]);
  near(scaleOf(fit), 420 / 150);
  near(angleOf(fit), 0.7);
  near(residualOf(fit, chipPoints, seen), 0);
});

test("the residual is measured in pixels of the chip, whatever the size of the face", () => {
  for (const scale of [0.5, 1, 7]) {
    // Moved up and down alternately: no rotation and no shift can follow.
    const moved = chipPoints.map(({ x, y }, i) => ({
      x: scale * x,
      y: scale * (y + (i % 2 === 0 ? 3 : -3)),
    }));
    const fit = fitSimilarity(chipPoints, moved);
    const residual = residualOf(fit, chipPoints, moved);
    assert.ok(residual > 2.8 && residual < 3.01, `${residual} at scale ${scale}`);
  }
});

test("a mirrored face is no similarity transform, which the residual shows", () => {
  const mirrored = chipPoints.map(({ x, y }) => ({ x, y: 150 - y }));
  assert.ok(residualOf(fitSimilarity(chipPoints, mirrored), chipPoints, mirrored) > 6);
});

test("a square map is centred and turned clockwise", () => {
  const map = squareMap({ centre: { x: 100, y: 60 }, side: 40, angle: Math.PI / 2 }, 10);
  nearPoint(apply(map, { x: 5, y: 5 }), { x: 100, y: 60 });
  // The top of the target is the right side of the image.
  nearPoint(apply(map, { x: 5, y: 0 }), { x: 120, y: 60 });
});

test("a box map stretches from corner to corner", () => {
  const map = boxMap({ left: 10, top: 20, right: 40, bottom: 120 }, 150);
  nearPoint(apply(map, { x: 0, y: 0 }), { x: 10, y: 20 });
  nearPoint(apply(map, { x: 150, y: 150 }), { x: 40, y: 120 });
});

function nearPoint(actual: { x: number; y: number }, expected: { x: number; y: number }): void {
  near(actual.x, expected.x);
  near(actual.y, expected.y);
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
}
