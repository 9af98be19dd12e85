import type { Pixels } from "../detect/letterbox.ts";
import { type Affine, apply, type Rectangle } from "./affine.ts";

/**
 * Draws a square of `px` pixels whose points an affine map finds in a picture: bilinear, and black outside `within`.
 *
 * Where the picture shrinks to less than half, the part that is needed is halved first, as often as it takes: so each
 * sample stands for all the pixels that it covers, at the price of reading each once.
 */
export class Warp {
  #halved = new Uint8Array(0);
  #usedBytes = 0;

  draw(picture: Pixels, map: Affine, within: Rectangle, target: Uint8Array, px: number): void {
    const area = wholePixels(within, picture);
    const halvings = halvingsFor(map);
    if (halvings === 0) {
      sample(picture, area, map, target, px);
      return;
    }
    const part = intersection(area, reachOf(map, px, 1 << halvings));
    if (part.right <= part.left || part.bottom <= part.top) {
      target.fill(0, 0, 3 * px * px);
      return;
    }
    const small = this.#halve(picture, part, halvings);
    const whole = { left: 0, top: 0, right: small.width, bottom: small.height };
    sample(small, whole, inHalved(map, part, halvings), target, px);
  }

  /** Nothing of a picture stays when its batch has ended. */
  wipe(): void {
    this.#halved.fill(0, 0, this.#usedBytes);
    this.#usedBytes = 0;
  }

  #halve(picture: Pixels, part: Rectangle, times: number): Pixels {
    let width = part.right - part.left;
    let height = part.bottom - part.top;
    const bytes = 3 * ((width + 1) >> 1) * ((height + 1) >> 1);
    if (this.#halved.length < bytes) {
      this.wipe();
      this.#halved = new Uint8Array(bytes);
    }
    this.#usedBytes = Math.max(this.#usedBytes, bytes);

    let from = {
      pixels: picture.pixels,
      start: 3 * (part.top * picture.width + part.left),
      stride: 3 * picture.width,
    };
    for (let time = 0; time < times; time++) {
      // The second time on it writes over what it reads, and always behind where it reads.
      halve(from.pixels, from.start, from.stride, { width, height }, this.#halved);
      width = (width + 1) >> 1;
      height = (height + 1) >> 1;
      from = { pixels: this.#halved, start: 0, stride: 3 * width };
    }
    return { pixels: this.#halved, width, height };
  }
}

/** The mean of each 2 x 2 pixels. An odd last row or column counts twice. */
function halve(
  source: Uint8Array,
  start: number,
  stride: number,
  { width, height }: { width: number; height: number },
  target: Uint8Array,
): void {
  let out = 0;
  for (let y = 0; y < height; y += 2) {
    let upper = start + y * stride;
    let lower = y + 1 < height ? upper + stride : upper;
    const pairsEnd = upper + 6 * (width >> 1);
    for (; upper < pairsEnd; upper += 6, lower += 6) {
      target[out++] = (source[upper]! + source[upper + 3]! + source[lower]! + source[lower + 3]! + 2) >> 2;
      target[out++] =
        (source[upper + 1]! + source[upper + 4]! + source[lower + 1]! + source[lower + 4]! + 2) >> 2;
      target[out++] =
        (source[upper + 2]! + source[upper + 5]! + source[lower + 2]! + source[lower + 5]! + 2) >> 2;
    }
    if (width % 2 === 1) {
      target[out++] = (source[upper]! + source[lower]! + 1) >> 1;
      target[out++] = (source[upper + 1]! + source[lower + 1]! + 1) >> 1;
      target[out++] = (source[upper + 2]! + source[lower + 2]! + 1) >> 1;
    }
  }
}

/** Bilinear. Positions are counted in 65536ths of a pixel, so that the loop does with integers. */
function sample(picture: Pixels, area: Rectangle, map: Affine, target: Uint8Array, px: number): void {
  const { pixels } = picture;
  const { left, top } = area;
  const lastX = area.right - 1;
  const lastY = area.bottom - 1;
  const stride = 3 * picture.width;
  const stepX = Math.round(map.a * ONE);
  const stepY = Math.round(map.c * ONE);
  let out = 0;
  for (let v = 0; v < px; v++) {
    // From the middle of a drawn pixel to that of the one above and to the left of it in the picture.
    let fixedX = Math.round((map.a * 0.5 + map.b * (v + 0.5) + map.e - 0.5) * ONE);
    let fixedY = Math.round((map.c * 0.5 + map.d * (v + 0.5) + map.f - 0.5) * ONE);
    for (let u = 0; u < px; u++, out += 3, fixedX += stepX, fixedY += stepY) {
      const x = fixedX >> 16;
      const y = fixedY >> 16;
      if (x < left || x >= lastX || y < top || y >= lastY) {
        sampleRim(picture, area, fixedX, fixedY, target, out);
        continue;
      }
      const shareX = (fixedX >> 8) & 255;
      const shareY = (fixedY >> 8) & 255;
      const d = shareX * shareY;
      const c = (shareY << 8) - d;
      const b = (shareX << 8) - d;
      const a = ONE - b - c - d;
      const i = y * stride + 3 * x;
      const j = i + stride;
      target[out] = (pixels[i]! * a + pixels[i + 3]! * b + pixels[j]! * c + pixels[j + 3]! * d + HALF) >> 16;
      target[out + 1] =
        (pixels[i + 1]! * a + pixels[i + 4]! * b + pixels[j + 1]! * c + pixels[j + 4]! * d + HALF) >> 16;
      target[out + 2] =
        (pixels[i + 2]! * a + pixels[i + 5]! * b + pixels[j + 2]! * c + pixels[j + 5]! * d + HALF) >> 16;
    }
  }
}

/** The same where some or all of the four neighbours lie outside, and count as black. */
function sampleRim(
  { pixels, width }: Pixels,
  area: Rectangle,
  fixedX: number,
  fixedY: number,
  target: Uint8Array,
  out: number,
): void {
  const shareX = (fixedX >> 8) & 255;
  const shareY = (fixedY >> 8) & 255;
  let [red, green, blue] = [HALF, HALF, HALF];
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

/** How often the picture may be halved so that a drawn pixel still covers at least one of the smaller one. */
function halvingsFor({ a, b, c, d }: Affine): number {
  const pixelsPerPixel = Math.min(Math.hypot(a, c), Math.hypot(b, d));
  return Math.max(0, Math.floor(Math.log2(pixelsPerPixel)));
}

/** The same map into the part, halved. */
function inHalved({ a, b, c, d, e, f }: Affine, part: Rectangle, times: number): Affine {
  const shrink = 1 / (1 << times);
  return {
    a: a * shrink,
    b: b * shrink,
    c: c * shrink,
    d: d * shrink,
    e: (e - part.left) * shrink,
    f: (f - part.top) * shrink,
  };
}

/** The part of the picture's plane that is drawn, with a margin for the neighbours of the outermost samples. */
function reachOf(map: Affine, px: number, margin: number): Rectangle {
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

function wholePixels({ left, top, right, bottom }: Rectangle, { width, height }: Pixels): Rectangle {
  const whole = {
    left: Math.floor(left),
    top: Math.floor(top),
    right: Math.ceil(right),
    bottom: Math.ceil(bottom),
  };
  return intersection(whole, { left: 0, top: 0, right: width, bottom: height });
}

function intersection(a: Rectangle, b: Rectangle): Rectangle {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

const ONE = 1 << 16;
/** Rounds what is then divided by ONE. */
const HALF = 1 << 15;
