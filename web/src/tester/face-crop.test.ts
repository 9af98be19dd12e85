import assert from "node:assert/strict";
import { test } from "node:test";
import { cropAround } from "./face-crop.ts";

const image = { width: 1_000, height: 600 };
const left = { x: 100, y: 100, w: 100, h: 100 };
const beside = { x: 220, y: 110, w: 100, h: 100 };
const far = { x: 800, y: 100, w: 100, h: 100 };

test("a crop has room around the face, within the image", () => {
  assert.deepEqual(cropAround([left, far], 0, image).crop, { x: 40, y: 40, w: 220, h: 220 });
  assert.deepEqual(cropAround([{ x: 10, y: 0, w: 100, h: 100 }], 0, image).crop, {
    x: 0,
    y: 0,
    w: 170,
    h: 160,
  });
  const atEdge = { x: 950, y: 550, w: 80, h: 80 };
  assert.deepEqual(cropAround([atEdge], 0, image).crop, { x: 902, y: 502, w: 98, h: 98 });
});

test("other faces that reach into the crop are covered, the chosen one is not", () => {
  const { covered, kept } = cropAround([left, beside, far], 0, image);
  assert.deepEqual(covered, [{ x: 210, y: 100, w: 120, h: 120 }]);
  assert.deepEqual(kept, { x: 90, y: 90, w: 120, h: 120 });
  assert.deepEqual(cropAround([left, far], 1, image).covered, []);
});
