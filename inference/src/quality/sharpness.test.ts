import assert from "node:assert/strict";
import { test } from "node:test";
import sharp, { type Sharp } from "sharp";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { sharpnessOf, sharpnessReachPx, smoothedLuminance } from "./sharpness.ts";

// Images are drawn: discs of all sizes and shades. Photographs are in ../engine/face-quality.test.ts.

const px = 80;
const random = mulberry32(7);
const discs = Array.from({ length: 60 }, () => {
  const [x, y, r, shade] = [
    random() * 640,
    random() * 640,
    8 + random() * 60,
    Math.round(60 + random() * 140),
  ];
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="rgb(${shade},${shade},${shade})"/>`;
});
const drawn = sharp(Buffer.from(`<svg width="640" height="640">${discs.join("")}</svg>`))
  .flatten()
  .png();
const original = await drawn.toBuffer();

test("the more an image is blurred, the less sharp it is", async () => {
  const values: number[] = [];
  for (const sigma of [2, 6, 12, 20, 30, 45]) values.push(await sharpness(sharp(original).blur(sigma)));
  assert.deepEqual(
    values,
    values.toSorted((a, b) => b - a),
  );
  assert.ok(values[0]! > 0.4 && values.at(-1)! < 0.2, values.join());
});

test("brightness and contrast change nothing, and noise little", async () => {
  const plain = await sharpness(sharp(original));
  const pale = await sharpness(sharp(original).linear(0.4, 100));
  assert.ok(Math.abs(pale - plain) < 0.02, `${plain} ${pale}`);
  const blurred = await sharpness(sharp(original).blur(30));
  const noisy = await sharpness(sharp(original).blur(30), 6);
  assert.ok(noisy - blurred < 0.12 && noisy < plain - 0.15, `${plain} ${blurred} ${noisy}`);
});

test("what was enlarged from few pixels is not sharp", async () => {
  const few = await sharp(original).resize(16).png().toBuffer();
  assert.ok((await sharpness(sharp(few).resize(640))) < (await sharpness(sharp(original))) - 0.15);
});

test("a movement in one direction counts as much as in the other, and the worse of the two decides", async () => {
  const moved = sharp(original).convolve({
    width: 55,
    height: 3,
    kernel: Array.from({ length: 3 * 55 }, (_, i) => Number(i >= 55 && i < 2 * 55)),
  });
  const across = await sharpness(moved.clone());
  const down = await sharpness(sharp(await moved.png().toBuffer()).rotate(90));
  const plain = await sharpness(sharp(original));
  assert.ok(across < plain - 0.15 && down < plain - 0.15, `${plain} ${across} ${down}`);
});

test("a plain area has a sharpness of 0", async () => {
  const create = { width: 640, height: 640, channels: 3 as const, background: "#777777" };
  assert.equal(await sharpness(sharp({ create })), 0);
});

async function sharpness(image: Sharp, noise = 0): Promise<number> {
  const rgb = await sharp(await image.png().toBuffer())
    .resize(px)
    .removeAlpha()
    .raw()
    .toBuffer();
  const noisy = rgb.map((value) => Math.min(255, Math.max(0, value + noise * (2 * random() - 1))));
  const square = { luminance: new Float32Array(px * px), px };
  smoothedLuminance(noisy, square, new Float32Array(px * px));
  const within = (i: number) => i >= sharpnessReachPx && i < px - sharpnessReachPx;
  const pixels = [...square.luminance.keys()].filter((i) => within(i % px) && within(Math.floor(i / px)));
  return sharpnessOf(square, pixels);
}
