import assert from "node:assert/strict";
import { test } from "node:test";
import { facialArea, largestFirst } from "./facial-area.ts";

const shrunk = { width: 100, height: 50, originalWidth: 400, originalHeight: 200 };

test("an area is in whole pixels of the original image", () => {
  const eyes = { left: { x: 60.2, y: 20 }, right: { x: 40.3, y: 20.9 } };
  assert.deepEqual(facialArea(shrunk, { left: 30.1, top: 10.2, right: 70.4, bottom: 45 }, eyes), {
    x: 120,
    y: 41,
    w: 162,
    h: 139,
    left_eye: [240, 80],
    right_eye: [161, 83],
  });
});

test("the area and the eyes lie inside the image", () => {
  const eyes = { left: { x: 130, y: -4 }, right: { x: -1, y: 50 } };
  const area = facialArea(shrunk, { left: 0, top: 0, right: 100, bottom: 50 }, eyes);
  assert.deepEqual(area, { x: 0, y: 0, w: 400, h: 200, left_eye: [399, 0], right_eye: [0, 199] });
});

test("the smallest area is one pixel", () => {
  const same = { width: 100, height: 50, originalWidth: 100, originalHeight: 50 };
  const { x, y, w, h } = facialArea(same, { left: 99.9, top: 49.9, right: 100, bottom: 50 }, null);
  assert.deepEqual({ x, y, w, h }, { x: 99, y: 49, w: 1, h: 1 });
});

test("the largest comes first by the area that is published; equal ones by score, then from left to right", () => {
  const box = (left: number, side: number, score: number) => ({
    left,
    top: 0,
    right: left + side,
    bottom: side,
    score,
  });
  // All but the last are published as 36 x 36 pixels, although the first is the largest of them.
  const boxes = [box(30, 9.1, 0.7), box(10, 9, 0.9), box(20, 8.95, 0.9), box(60, 9.3, 0.6)];
  const published = boxes.map((each) => facialArea(shrunk, each, null));
  assert.deepEqual(
    published.map(({ w, h }) => w * h),
    [1296, 1296, 1296, 1369],
  );
  assert.deepEqual(
    largestFirst(boxes, shrunk).map(({ left }) => left),
    [60, 10, 20, 30],
  );
});
