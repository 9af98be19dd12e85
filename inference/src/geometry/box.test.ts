import assert from "node:assert/strict";
import { test } from "node:test";
import { type Box, clip, enlarged, iou, isSameFace } from "./box.ts";

test("IoU is the intersection of two boxes divided by their union", () => {
  assert.equal(iou(box(0, 0, 10, 10), box(0, 0, 10, 10)), 1);
  assert.equal(iou(box(0, 0, 10, 10), box(5, 0, 15, 10)), 50 / 150);
  assert.equal(iou(box(0, 0, 10, 10), box(10, 0, 20, 10)), 0);
  assert.equal(iou(box(0, 0, 10, 10), box(20, 20, 30, 30)), 0);
  assert.equal(iou(box(0, 0, 0, 0), box(0, 0, 0, 0)), 0);
});

test("a box is clipped to the image, and is dropped when less than one pixel of it remains", () => {
  const image = { width: 100, height: 50 };
  assert.deepEqual(clip(box(-10, -10, 120, 60), image), box(0, 0, 100, 50));
  assert.deepEqual(clip(box(10, 10, 20, 20), image), box(10, 10, 20, 20));
  assert.equal(clip(box(-10, 10, 0.9, 20), image), undefined);
  assert.equal(clip(box(110, 10, 120, 20), image), undefined);
  assert.equal(clip(box(20, 20, 10, 10), image), undefined);
});

test("an enlarged box keeps its middle", () => {
  assert.deepEqual(enlarged(box(10, 20, 30, 60), 1.5), box(5, 10, 35, 70));
  assert.deepEqual(enlarged(box(10, 20, 30, 60), 1), box(10, 20, 30, 60));
});

test("boxes of other shapes around one face have its middle in common, and those of neighbours do not", () => {
  const face = box(10, 10, 30, 40);
  assert.ok(isSameFace(face, box(12, 20, 28, 36)));
  assert.ok(isSameFace(box(18, 24, 60, 60), box(15, 22, 27, 30)));
  assert.ok(!isSameFace(face, box(28, 12, 48, 40)));
});

function box(left: number, top: number, right: number, bottom: number): Box {
  return { left, top, right, bottom };
}
