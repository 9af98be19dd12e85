import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, boxAt, squareAt } from "./affine.ts";
import { chipPoints } from "./mean-face.ts";
import { angleOf, fitSimilarity, residualOf, scaleOf } from "./similarity.ts";

test("a fit recovers the turn, the scale and the shift that were made", () => {
  const made = squareAt({ centre: { x: 310, y: 95 }, side: 420, angle: 0.7 }, 150);
  const seen = chipPoints.map((point) => apply(made, point));
  const fit = fitSimilarity(chipPoints, seen);
  for (const key of ["a", "b", "c", "d", "e", "f"] as const) near(fit[key], made[key]);
  near(scaleOf(fit), 420 / 150);
  near(angleOf(fit), 0.7);
  near(residualOf(fit, chipPoints, seen), 0);
});

test("the mean face fits itself without a residual", () => {
  const fit = fitSimilarity(chipPoints, chipPoints);
  near(scaleOf(fit), 1);
  near(residualOf(fit, chipPoints, chipPoints), 0);
});

test("the residual is in pixels of the chip, whatever the size of the face", () => {
  for (const scale of [0.5, 1, 7]) {
    // Pushed to either side by turns: no turn and no shift can follow.
    const pushed = chipPoints.map(({ x, y }, i) => ({
      x: scale * x,
      y: scale * (y + (i % 2 === 0 ? 3 : -3)),
    }));
    const fit = fitSimilarity(chipPoints, pushed);
    const residual = residualOf(fit, chipPoints, pushed);
    assert.ok(residual > 2.8 && residual < 3.01, `${residual} at scale ${scale}`);
  }
});

test("a mirrored face is no similarity: its residual tells", () => {
  const mirrored = chipPoints.map(({ x, y }) => ({ x, y: 150 - y }));
  assert.ok(residualOf(fitSimilarity(chipPoints, mirrored), chipPoints, mirrored) > 6);
});

test("33 points of the mean face lie in the chip, eyes above the mouth", () => {
  assert.equal(chipPoints.length, 33);
  for (const { x, y } of chipPoints) assert.ok(x > 25 && x < 125 && y > 25 && y < 125);
});

test("a square lies round its centre, turned clockwise", () => {
  const map = squareAt({ centre: { x: 100, y: 60 }, side: 40, angle: Math.PI / 2 }, 10);
  nearPoint(apply(map, { x: 5, y: 5 }), { x: 100, y: 60 });
  // What is at the top of the drawing is at the right of the picture.
  nearPoint(apply(map, { x: 5, y: 0 }), { x: 120, y: 60 });
});

test("a box is stretched from corner to corner", () => {
  const map = boxAt({ left: 10, top: 20, right: 40, bottom: 120 }, 150);
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
