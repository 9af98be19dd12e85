import assert from "node:assert/strict";
import { test } from "node:test";
import { type Affine, apply, boxMap, squareMap } from "./affine.ts";
import { type Box, wholeBox } from "./box.ts";
import type { Pixels } from "./pixels.ts";
import { Warp } from "./warp.ts";

const image = ramp(400, 300);
const negative = { ...image, pixels: image.pixels.map((value) => 250 - value) };

for (const [name, map] of Object.entries({
  unchanged: boxMap({ left: 50, top: 60, right: 90, bottom: 100 }, 40),
  "shifted by half a pixel": boxMap({ left: 50.5, top: 60.5, right: 90.5, bottom: 100.5 }, 40),
  enlarged: boxMap({ left: 100, top: 100, right: 120, bottom: 120 }, 40),
  "turned by 30 degrees": squareMap({ centre: { x: 200, y: 150 }, side: 60, angle: Math.PI / 6 }, 40),
  "turned upside down": squareMap({ centre: { x: 200, y: 150 }, side: 60, angle: Math.PI }, 40),
  "halved once": squareMap({ centre: { x: 201, y: 149 }, side: 100, angle: 0.4 }, 40),
  "halved twice": squareMap({ centre: { x: 199, y: 151 }, side: 171, angle: -1 }, 40),
  // Eight pixels differ by exactly five levels, so all are rounded the same way; at this centre that matters
  // least.
  "halved three times": squareMap({ centre: { x: 198, y: 149 }, side: 322, angle: 0 }, 40),
  stretched: boxMap({ left: 10, top: 20, right: 390, bottom: 120 }, 40),
})) {
  test(`a linear ramp is reproduced at the mapped points: ${name}`, () => {
    const drawn = draw(map, wholeBox(image), 40);
    const inverted = draw(map, wholeBox(image), 40, negative);
    const aside = { x: 0, y: 0 };
    for (let v = 2; v < 38; v++) {
      for (let u = 2; u < 38; u++) {
        const { x, y } = apply(map, { x: u + 0.5, y: v + 0.5 });
        nearly(at(drawn, 40, u, v, 0), (x / 400) * 250, `${u}, ${v} across`);
        nearly(at(drawn, 40, u, v, 1), (y / 300) * 250, `${u}, ${v} down`);
        const relative = (channel: number) =>
          0.5 + (at(drawn, 40, u, v, channel) - at(inverted, 40, u, v, channel)) / 500;
        aside.x += (400 * relative(0) - x) / 36 ** 2;
        aside.y += (300 * relative(1) - y) / 36 ** 2;
      }
    }
    // One pixel is too coarse to show a shift of half a pixel, and halves are always rounded up. The mean
    // over all pixels of the image and its negative shows it.
    assert.ok(Math.hypot(aside.x, aside.y) < 0.2, `aside by ${aside.x.toFixed(2)}, ${aside.y.toFixed(2)}`);
  });
}

test("a map at whole pixels and the same size copies the pixels", () => {
  const drawn = draw(boxMap({ left: 50, top: 60, right: 90, bottom: 100 }, 40), wholeBox(image), 40);
  for (let u = 0; u < 40; u++) {
    assert.equal(at(drawn, 40, u, 0, 0), image.pixels[3 * (60 * 400 + 50 + u)]);
  }
});

test("the outside of an image is black, and its edge is interpolated over half a pixel", () => {
  const white = { pixels: new Uint8Array(3 * 10 * 10).fill(200), width: 10, height: 10 };
  const target = new Uint8Array(3 * 20 * 20).fill(77);
  new Warp().draw(
    white,
    boxMap({ left: -5.5, top: -5, right: 14.5, bottom: 15 }, 20),
    wholeBox(white),
    target,
    20,
  );
  const row = Array.from({ length: 20 }, (_, u) => at(target, 20, u, 10, 0));
  assert.deepEqual(row, [0, 0, 0, 0, 0, 100, 200, 200, 200, 200, 200, 200, 200, 200, 200, 100, 0, 0, 0, 0]);
  assert.ok(target.subarray(0, 3 * 20 * 5).every((value) => value === 0));
});

test("outside `within` is black, also where the image goes on", () => {
  const box = { left: 100, top: 100, right: 150, bottom: 200 };
  const drawn = draw(boxMap({ left: 75, top: 100, right: 175, bottom: 200 }, 100), box, 100);
  assert.deepEqual([at(drawn, 100, 20, 50, 0), at(drawn, 100, 80, 50, 0)], [0, 0]);
  nearly(at(drawn, 100, 50, 50, 0), (125.5 / 400) * 250, "its middle");
});

test("a map that misses the image gives black, with and without a shrunk copy", () => {
  for (const side of [40, 400]) {
    const drawn = draw(
      boxMap({ left: 1000, top: 1000, right: 1000 + side, bottom: 1000 + side }, 40),
      wholeBox(image),
      40,
    );
    assert.ok(drawn.every((value) => value === 0));
  }
});

test("an image with odd sides is halved to its last row and column", () => {
  const odd = { pixels: new Uint8Array(3 * 13 * 7).fill(90), width: 13, height: 7 };
  const target = new Uint8Array(3 * 3 * 3).fill(77);
  new Warp().draw(odd, boxMap({ left: 0, top: 0, right: 13, bottom: 7 }, 3), wholeBox(odd), target, 3);
  for (let v = 0; v < 3; v++) assert.equal(at(target, 3, 1, v, 0), 90);
});

test("one warp draws the same, whatever it has drawn before", () => {
  const warp = new Warp();
  const maps = [
    squareMap({ centre: { x: 200, y: 150 }, side: 100, angle: 0 }, 40),
    boxMap(wholeBox(image), 40),
  ];
  const fresh = maps.map((map) => draw(map, wholeBox(image), 40));
  for (const i of [0, 1, 0, 1]) {
    const target = new Uint8Array(3 * 40 * 40);
    warp.draw(image, maps[i]!, wholeBox(image), target, 40);
    assert.ok(Buffer.from(target).equals(fresh[i]!));
    warp.wipe();
  }
});

function draw(map: Affine, within: Box, px: number, of = image): Uint8Array {
  const target = new Uint8Array(3 * px * px).fill(77);
  new Warp().draw(of, map, within, target, px);
  return target;
}

/** Red grows to the right, green downwards, from 0 to 250. */
function ramp(width: number, height: number): Pixels {
  const pixels = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels[3 * (y * width + x)] = Math.round(((x + 0.5) / width) * 250);
      pixels[3 * (y * width + x) + 1] = Math.round(((y + 0.5) / height) * 250);
    }
  }
  return { pixels, width, height };
}

function at(pixels: Uint8Array, px: number, u: number, v: number, channel: number): number {
  return pixels[3 * (v * px + u) + channel]!;
}

function nearly(actual: number, expected: number, where: string): void {
  assert.ok(Math.abs(actual - expected) <= 1.5, `${where}: ${actual} is not ${expected}`);
}
