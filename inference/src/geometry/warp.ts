import { type Affine, apply, stepOf } from "./affine.ts";
import { type Box, intersection, wholeBox } from "./box.ts";
import type { Pixels } from "./pixels.ts";

/** One in 16.16 fixed point, and a half: added before the shift, it rounds. */
const one = 1 << 16;
const half = 1 << 15;

/**
 * Resamples a square of `px` pixels from an image by an affine map (target → image): bilinear
 * interpolation, black outside `within`.
 *
 * Where the image is shrunk to less than half, a smaller copy of the needed part is made first, like one
 * level of a mipmap: halved as often as necessary, each of its pixels the mean of four that are evenly spread
 * over its cell.
 */
export class Warp {
  #shrunk = new Uint8Array(0);
  #usedBytes = 0;

  /** Writes all 3 × px × px bytes of `target` (RGB). */
  draw(image: Pixels, map: Affine, within: Box, target: Uint8Array, px: number): void {
    const area = wholePixels(within, image);
    const halvings = halvingsFor(map);
    if (halvings === 0) {
      sample(image, area, map, target, px);
      return;
    }
    const part = intersection(area, reachOf(map, px, 1 << halvings));
    if (part.right <= part.left || part.bottom <= part.top) {
      target.fill(0, 0, 3 * px * px);
      return;
    }
    const cell = 1 << halvings;
    const small = this.#shrink(image, part, cell);
    sample(small, wholeBox(small), inShrunk(map, part, cell), target, px);
  }

  /** Zeroes the intermediate copy: no pixel may remain in memory after its batch. */
  wipe(): void {
    this.#shrunk.fill(0, 0, this.#usedBytes);
    this.#usedBytes = 0;
  }

  #shrink(image: Pixels, part: Box, cell: number): Pixels {
    const width = Math.ceil((part.right - part.left) / cell);
    const height = Math.ceil((part.bottom - part.top) / cell);
    const bytes = 3 * width * height;
    if (this.#shrunk.length < bytes) {
      this.wipe();
      this.#shrunk = new Uint8Array(bytes);
    }
    this.#usedBytes = Math.max(this.#usedBytes, bytes);
    shrink(image, part, cell, this.#shrunk);
    return { pixels: this.#shrunk, width, height };
  }
}

/**
 * Writes one pixel for each cell, row by row: the mean of four samples. The last row and column repeat at the
 * edge.
 */
function shrink(
  { pixels, width }: Pixels,
  { left, top, right, bottom }: Box,
  cell: number,
  target: Uint8Array,
): void {
  const near = cell >> 2;
  const far = near + (cell >> 1);
  let out = 0;
  for (let y = top; y < bottom; y += cell) {
    const upper = 3 * width * Math.min(y + near, bottom - 1);
    const lower = 3 * width * Math.min(y + far, bottom - 1);
    for (let x = left; x < right; x += cell) {
      const first = 3 * Math.min(x + near, right - 1);
      const second = 3 * Math.min(x + far, right - 1);
      const a = upper + first;
      const b = upper + second;
      const c = lower + first;
      const d = lower + second;
      target[out++] = (pixels[a]! + pixels[b]! + pixels[c]! + pixels[d]! + 2) >> 2;
      target[out++] = (pixels[a + 1]! + pixels[b + 1]! + pixels[c + 1]! + pixels[d + 1]! + 2) >> 2;
      target[out++] = (pixels[a + 2]! + pixels[b + 2]! + pixels[c + 2]! + pixels[d + 2]! + 2) >> 2;
    }
  }
}

/** Bilinear interpolation. Positions are 16.16 fixed-point numbers, so the loop needs integers only. */
function sample(image: Pixels, area: Box, map: Affine, target: Uint8Array, px: number): void {
  const { pixels } = image;
  const { left, top } = area;
  const lastX = area.right - 1;
  const lastY = area.bottom - 1;
  const stride = 3 * image.width;
  const stepX = Math.round(map.a * one);
  const stepY = Math.round(map.c * one);
  let out = 0;
  for (let v = 0; v < px; v++) {
    // From the centre of the target pixel to the centre of its upper left neighbour in the image.
    let fixedX = Math.round((map.a * 0.5 + map.b * (v + 0.5) + map.e - 0.5) * one);
    let fixedY = Math.round((map.c * 0.5 + map.d * (v + 0.5) + map.f - 0.5) * one);
    for (let u = 0; u < px; u++, out += 3, fixedX += stepX, fixedY += stepY) {
      const x = fixedX >> 16;
      const y = fixedY >> 16;
      if (x < left || x >= lastX || y < top || y >= lastY) {
        sampleRim(image, area, fixedX, fixedY, target, out);
        continue;
      }
      const shareX = (fixedX >> 8) & 255;
      const shareY = (fixedY >> 8) & 255;
      const d = shareX * shareY;
      const c = (shareY << 8) - d;
      const b = (shareX << 8) - d;
      const a = one - b - c - d;
      const i = y * stride + 3 * x;
      const j = i + stride;
      target[out] = (pixels[i]! * a + pixels[i + 3]! * b + pixels[j]! * c + pixels[j + 3]! * d + half) >> 16;
      target[out + 1] =
        (pixels[i + 1]! * a + pixels[i + 4]! * b + pixels[j + 1]! * c + pixels[j + 4]! * d + half) >> 16;
      target[out + 2] =
        (pixels[i + 2]! * a + pixels[i + 5]! * b + pixels[j + 2]! * c + pixels[j + 5]! * d + half) >> 16;
    }
  }
}

/** The same if some or all of the four neighbours lie outside and count as black. */
function sampleRim(
  { pixels, width }: Pixels,
  area: Box,
  fixedX: number,
  fixedY: number,
  target: Uint8Array,
  out: number,
): void {
  const shareX = (fixedX >> 8) & 255;
  const shareY = (fixedY >> 8) & 255;
  let [red, green, blue] = [half, half, half];
  for (let neighbour = 0; neighbour < 4; neighbour++) {
    const right = neighbour & 1;
    const below = neighbour >> 1;
    const x = (fixedX >> 16) + right;
    const y = (fixedY >> 16) + below;
    if (x < area.left || x >= area.right || y < area.top || y >= area.bottom) continue;
    const share = (right ? shareX : 256 - shareX) * (below ? shareY : 256 - shareY);
    const i = 3 * (y * width + x);
    red += pixels[i]! * share;
    green += pixels[i + 1]! * share;
    blue += pixels[i + 2]! * share;
  }
  target[out] = red >> 16;
  target[out + 1] = green >> 16;
  target[out + 2] = blue >> 16;
}

/** Returns how often the image can be halved while a target pixel covers a pixel of the copy. */
function halvingsFor(map: Affine): number {
  return Math.max(0, Math.floor(Math.log2(stepOf(map))));
}

/** The same map, into the shrunk copy of the part. */
function inShrunk({ a, b, c, d, e, f }: Affine, part: Box, cell: number): Affine {
  const share = 1 / cell;
  // Four samples of a cell of two by two are the whole cell; of a larger one their mean lies half a pixel
  // aside.
  const aside = cell === 2 ? 0 : 0.5;
  return {
    a: a * share,
    b: b * share,
    c: c * share,
    d: d * share,
    e: (e - part.left - aside) * share,
    f: (f - part.top - aside) * share,
  };
}

/**
 * The part of the image's plane that the target covers, with a margin for the neighbours of the outer
 * samples.
 */
function reachOf(map: Affine, px: number, margin: number): Box {
  const corners = [0, px].flatMap((y) => [0, px].map((x) => apply(map, { x, y })));
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  return {
    left: Math.floor(Math.min(...xs)) - margin,
    top: Math.floor(Math.min(...ys)) - margin,
    right: Math.ceil(Math.max(...xs)) + margin,
    bottom: Math.ceil(Math.max(...ys)) + margin,
  };
}

function wholePixels({ left, top, right, bottom }: Box, image: Pixels): Box {
  const whole = {
    left: Math.floor(left),
    top: Math.floor(top),
    right: Math.ceil(right),
    bottom: Math.ceil(bottom),
  };
  return intersection(whole, wholeBox(image));
}
