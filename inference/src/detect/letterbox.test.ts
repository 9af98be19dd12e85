import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pixels } from "../geometry/pixels.ts";
import { Letterbox, marginWindow, imageWindow } from "./letterbox.ts";

test("an image of the detector's size is copied unchanged", () => {
  const image = ramp(16, 16);
  assert.ok(Buffer.from(draw(image, 16)).equals(image.pixels));
});

test("a wide image lies at the top, a tall one at the left, and the rest is overwritten with black", () => {
  const wide = draw(flat(20, 10, 200), 16);
  assert.deepEqual([at(wide, 16, 15, 7), at(wide, 16, 0, 8), at(wide, 16, 15, 15)], [200, 0, 0]);
  const tall = draw(flat(10, 20, 200), 16);
  assert.deepEqual([at(tall, 16, 7, 15), at(tall, 16, 8, 0), at(tall, 16, 15, 15)], [200, 0, 0]);
});

for (const [size, why] of [
  [12, "bilinear"],
  [24, "bilinear, the least shrinking"],
  [100, "two samples each way"],
] as const) {
  test(`a ramp stays a ramp from ${size} to 16 pixels: ${why}`, () => {
    const drawn = draw(ramp(size, size), 16);
    for (let u = 1; u < 15; u++) {
      // The ramp's value at the middle of the drawn pixel, on both axes.
      const expected = ((u + 0.5) / 16) * 200;
      const tolerance = 200 / size / 2 + 1;
      assert.ok(Math.abs(at(drawn, 16, u, 3, 0) - expected) <= tolerance, `across, ${u}`);
      assert.ok(Math.abs(at(drawn, 16, 3, u, 1) - expected) <= tolerance, `down, ${u}`);
    }
  });
}

test("with a margin, the image fills the middle two thirds", () => {
  const image = flat(30, 30, 99);
  const target = new Uint8Array(3 * 12 * 12).fill(77);
  new Letterbox(12).draw(image, marginWindow(image), target);
  for (let v = 0; v < 12; v++) {
    for (let u = 0; u < 12; u++) {
      const covered = u >= 2 && u < 10 && v >= 2 && v < 10;
      assert.equal(at(target, 12, u, v), covered ? 99 : 0, `${u}, ${v}`);
    }
  }
});

test("an image that is one pixel wide is drawn", () => {
  assert.equal(at(draw(flat(1, 20, 50), 16), 16, 0, 15), 50);
});

function draw(image: Pixels, px: number): Uint8Array {
  const target = new Uint8Array(3 * px * px).fill(77);
  new Letterbox(px).draw(image, imageWindow(image), target);
  return target;
}

/** Red grows to the right, green downwards, from 0 to 200. */
function ramp(width: number, height: number): Pixels {
  const pixels = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels[3 * (y * width + x)] = Math.round(((x + 0.5) / width) * 200);
      pixels[3 * (y * width + x) + 1] = Math.round(((y + 0.5) / height) * 200);
    }
  }
  return { pixels, width, height };
}

function flat(width: number, height: number, value: number): Pixels {
  return { pixels: new Uint8Array(3 * width * height).fill(value), width, height };
}

function at(pixels: Uint8Array, px: number, u: number, v: number, channel = 0): number {
  return pixels[3 * (v * px + u) + channel]!;
}
