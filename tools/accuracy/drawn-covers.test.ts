import assert from "node:assert/strict";
import { test } from "node:test";
import type { Face } from "@faceline/contracts/wire/face";
import { withGlasses, withMask } from "./drawn-covers.ts";

const [width, height] = [100, 140];
/** Pupils are 40 pixels apart. */
const upright: Face["area"] = { x: 10, y: 20, w: 80, h: 110, left_eye: [70, 50], right_eye: [30, 50] };
const turned: Face["area"] = { ...upright, left_eye: [50, 70], right_eye: [50, 30] };

test("a mask covers mouth and nose tip, and glasses the eyes, and nothing else", () => {
  assert.deepEqual(covered(withMask, upright), { leftEye: false, forehead: false, nose: true, mouth: true });
  assert.deepEqual(covered(withGlasses, upright), { leftEye: true, forehead: false, nose: false, mouth: false });
});

test("covers turn with the eyes: right of a face that lies on its side is its chin", () => {
  const picture = { width, height, pixels: new Uint8Array(3 * width * height).fill(255) };
  const { pixels } = withMask(picture, turned);
  const at = (x: number, y: number) => pixels[3 * (y * width + x)] !== 255;
  assert.deepEqual([at(10, 50), at(90, 50)], [true, false]);
});

/** The picture that is given stays as it is. */
function covered(draw: typeof withMask, face: Face["area"]): Record<string, boolean> {
  const picture = { width, height, pixels: new Uint8Array(3 * width * height).fill(255) };
  const { pixels } = draw(picture, face);
  assert(picture.pixels.every((value) => value === 255));
  const at = (x: number, y: number) => pixels[3 * (y * width + x)] !== 255;
  return { leftEye: at(70, 50), forehead: at(50, 20), nose: at(50, 80), mouth: at(50, 100) };
}
