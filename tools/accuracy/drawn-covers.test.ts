import assert from "node:assert/strict";
import { test } from "node:test";
import type { Face } from "@faceline/contracts/wire/face";
import { withGlasses, withMask } from "./drawn-covers.ts";

const [width, height] = [100, 140];
const box = { x: 10, y: 20, w: 80, h: 110, detector: "ssd" };
const upright: Face["area"] = { ...box, left_eye: [70, 50], right_eye: [30, 50] };
const tilted: Face["area"] = { ...upright, left_eye: [57, 57], right_eye: [43, 43] };

test("a mask covers mouth and nose tip, and glasses the eyes, and nothing else", () => {
  assert.deepEqual(covered(withMask, upright), { leftEye: false, forehead: false, nose: true, mouth: true });
  assert.deepEqual(covered(withGlasses, upright), {
    leftEye: true,
    forehead: false,
    nose: false,
    mouth: false,
  });
});

test("covers turn with the eyes: below a face that is tilted by 45 degrees is its chin on the left", () => {
  const image = { width, height, pixels: new Uint8Array(3 * width * height).fill(255) };
  const { pixels } = withMask(image, tilted);
  const at = (x: number, y: number) => pixels[3 * (y * width + x)] !== 255;
  assert.deepEqual([at(23, 77), at(77, 23)], [true, false]);
});

/** The image that is given stays as it is. */
function covered(draw: typeof withMask, face: Face["area"]): Record<string, boolean> {
  const image = { width, height, pixels: new Uint8Array(3 * width * height).fill(255) };
  const { pixels } = draw(image, face);
  assert(image.pixels.every((value) => value === 255));
  const at = (x: number, y: number) => pixels[3 * (y * width + x)] !== 255;
  return { leftEye: at(70, 50), forehead: at(50, 20), nose: at(50, 80), mouth: at(50, 100) };
}
