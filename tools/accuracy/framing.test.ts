import assert from "node:assert/strict";
import { test } from "node:test";
import { frameFace, sizeFor, tightCrop } from "./framing.ts";

const image = { width: 400, height: 300 };
const box = { left: 100, top: 50, right: 200, bottom: 150 };

test("a tight crop is the middle of the box, and of the image where the box reaches beyond it", () => {
  assert.deepEqual(tightCrop(box, 0.9, image), { left: 105, top: 55, width: 90, height: 90 });
  const rim = { left: -20, top: 250, right: 80, bottom: 350 };
  assert.deepEqual(tightCrop(rim, 1, image), { left: 0, top: 250, width: 80, height: 50 });
});

test("an image that is smaller than its frame lies in it with the face in the middle", () => {
  const frame = { width: 1000, height: 800 };
  // The face becomes 50 pixels wide: half its size.
  const { cut, size, margins } = frameFace(box, 0.05, frame, image);
  assert.deepEqual(cut, { left: 0, top: 0, width: 400, height: 300 });
  assert.deepEqual(size, { width: 200, height: 150 });
  assert.equal(margins.left + 0.5 * 150, 500, "the face's middle is the frame's");
  assert.equal(margins.top + 0.5 * 100, 400);
  assert.deepEqual(
    [margins.left + size.width + margins.right, margins.top + size.height + margins.bottom],
    [1000, 800],
  );
});

test("of an image larger than its frame, the surroundings of the face are cut out", () => {
  const frame = { width: 100, height: 80 };
  const { cut, size, margins } = frameFace(box, 0.5, frame, image);
  assert.deepEqual(cut, { left: 50, top: 20, width: 200, height: 160 });
  assert.deepEqual(size, frame);
  assert.deepEqual(margins, { left: 0, top: 0, right: 0, bottom: 0 });
});

test("an image is resized to the requested width of the face", () => {
  assert.deepEqual(sizeFor(box, 50, image), { width: 200, height: 150 });
  assert.deepEqual(sizeFor(box, 200, image), { width: 800, height: 600 });
});
