import type { Pixels } from "../detect/letterbox.ts";
import { type Affine, apply, type Rectangle } from "./affine.ts";

/**
 * Draws a square of `px` pixels whose points an affine map finds in a picture: bilinear, and black outside `within`.
 *
 * Where the picture shrinks to less than half, a smaller copy of the part that is needed is made first: halved as often as
 * it takes, each of its pixels the mean of four that are evenly spread over what it covers.
 */
export class Warp {
  #shrunk = new Uint8Array(0);
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
    const cell = 1 << halvings;
    const small = this.#shrink(picture, part, cell);
    const whole = { left: 0, top: 0, right: small.width, bottom: small.height };
    sample(small, whole, inShrunk(map, part, cell), target, px);
  }

  /** Nothing of a picture stays when its batch has ended. */
  wipe(): void {
    this.#shrunk.fill(0, 0, this.#usedBytes);
    this.#usedBytes = 0;
  }

  #shrink(picture: Pixels, part: Rectangle, cell: number): Pixels {
    const width = Math.ceil((part.right - part.left) / cell);
    const height = Math.ceil((part.bottom - part.top) / cell);
    const bytes = 3 * width * height;
    if (this.#shrunk.length < bytes) {
      this.wipe();
      this.#shrunk = new Uint8Array(bytes);
    }
    this.#usedBytes = Math.max(this.#usedBytes, bytes);
    shrink(picture, part, cell, this.#shrunk);
    return { pixels: this.#shrunk, width, height };
  }
}

/** A pixel for each cell of the part, row by row: the mean of four of the cell's, the last in place of what is outside. */
function shrink(
  { pixels, width }: Pixels,
  { left, top, right, bottom }: Rectangle,
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

/** The same map into the part, shrunk. */
function inShrunk({ a, b, c, d, e, f }: Affine, part: Rectangle, cell: number): Affine {
  const share = 1 / cell;
  // The middle of the four is that of the cell only where they are all of it.
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
