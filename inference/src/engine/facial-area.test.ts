import assert from "node:assert/strict";
import { test } from "node:test";
import { areaOf, eyesOf } from "./facial-area.ts";

const shrunk = { width: 100, height: 50, originalWidth: 400, originalHeight: 200 };

test("an area is told in whole pixels of the picture that was sent", () => {
  const eyes = { left: { x: 60.2, y: 20 }, right: { x: 40.3, y: 20.9 } };
  assert.deepEqual(areaOf(shrunk, { left: 30.1, top: 10.2, right: 70.4, bottom: 45 }, eyes), {
    x: 120,
    y: 41,
    w: 162,
    h: 139,
    left_eye: [240, 80],
    right_eye: [161, 83],
  });
});

test("nothing of it lies outside, eyes included", () => {
  const eyes = { left: { x: 130, y: -4 }, right: { x: -1, y: 50 } };
  const area = areaOf(shrunk, { left: 0, top: 0, right: 100, bottom: 50 }, eyes);
  assert.deepEqual(area, { x: 0, y: 0, w: 400, h: 200, left_eye: [399, 0], right_eye: [0, 199] });
});

test("the least box is a pixel in the corner", () => {
  const same = { width: 100, height: 50, originalWidth: 100, originalHeight: 50 };
  const { x, y, w, h } = areaOf(same, { left: 99.9, top: 49.9, right: 100, bottom: 50 }, null);
  assert.deepEqual({ x, y, w, h }, { x: 99, y: 49, w: 1, h: 1 });
});

test("the person's left eye is the one on the image's right", () => {
  const landmarks = Array.from({ length: 68 }, (_, i) => ({ x: i, y: 2 * i }));
  assert.deepEqual(eyesOf(landmarks), { left: { x: 44.5, y: 89 }, right: { x: 38.5, y: 77 } });
});
