import assert from "node:assert/strict";
import { test } from "node:test";
import { alignmentTemplates, eyesOf, pointsByLandmark } from "../align/templates.ts";
import { apply } from "../geometry/affine.ts";
import { ovalPixels, ovalSquarePx, ovalSquareToChip, pixelsInside } from "./face-oval.ts";
import { sharpnessReachPx } from "./sharpness.ts";

test("the oval leaves room in the square for what sharpness reads beside a pixel", () => {
  const isInside = (position: number) =>
    position >= sharpnessReachPx && position < ovalSquarePx - sharpnessReachPx;
  for (const i of ovalPixels) {
    assert.ok(isInside(i % ovalSquarePx) && isInside(Math.floor(i / ovalSquarePx)), String(i));
  }
});

test("the eyes of every template lie in the same place of the square", () => {
  for (const template of Object.values(alignmentTemplates)) {
    const { left, right } = eyesOf(pointsByLandmark(template), template);
    const { a, e, f } = ovalSquareToChip(template);
    const inSquare = [right, left].map(({ x, y }) => [(x - e) / a, (y - f) / a].map(Math.round));
    assert.deepEqual(inSquare, [
      [24, 26],
      [56, 26],
    ]);
  }
});

test("the edge of an image cuts off as much of the oval as lies beyond it", () => {
  const half = ovalSquarePx / 2;
  // Two pixels of the image for each of the square, whose left half or upper quarter is beyond the edge.
  const map = { a: 2, b: 0, c: 0, d: 2, e: 0, f: 0 };
  const large = { width: 1_000, height: 1_000 };
  assert.equal(pixelsInside({ ...map, e: 100, f: 100 }, large).inside.length, ovalPixels.length);
  const shareLeft = (e: number) => pixelsInside({ ...map, e }, large).inside.length / ovalPixels.length;
  const shares = [0, -30, -60, -2 * half, -120, -160].map(shareLeft);
  assert.equal(shares[0], 1);
  assert.equal(shares[3], 0.5);
  assert.equal(shares.at(-1), 0);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => b - a),
  );
});

test("beside the edge of an image, no pixel counts for sharpness that would read what is beyond", () => {
  const turned = { a: 1.6, b: -1.2, c: 1.2, d: 1.6, e: 20, f: -70 };
  const size = { width: 90, height: 90 };
  const { inside, within } = pixelsInside(turned, size);
  assert.ok(within.length > 0 && within.length < inside.length && inside.length < ovalPixels.length);
  for (const i of within) {
    const [x, y] = [(i % ovalSquarePx) + 0.5, Math.floor(i / ovalSquarePx) + 0.5];
    for (const by of [-5, 5]) {
      for (const point of [
        { x: x + by, y },
        { x, y: y + by },
      ]) {
        const { x: across, y: down } = apply(turned, point);
        assert.ok(across >= 0 && down >= 0 && across < size.width && down < size.height);
      }
    }
  }
});
