import type { Pixels, Size } from "../geometry/pixels.ts";

/** Image pixels per target pixel. Above it, neighbours no longer touch and the result would alias. */
const bilinearStepMax = 1.5;
/** Rounds the sum of four products of 8 bits and two shares of 256. */
const half = 1 << 15;

/**
 * Resizes a window of an image to a square of `px` pixels and pads it with black where there is no image
 * (letterboxing, with the image in the upper left corner).
 *
 * Each pixel is made of two samples in each direction: neighbours with weights where the image keeps about
 * its size (bilinear interpolation), half a pixel apart with equal weights where it shrinks. More samples did
 * not change what is detected.
 */
export class Letterbox {
  readonly #px: number;
  readonly #columns: Taps;
  readonly #rows: Taps;

  constructor(px: number) {
    this.#px = px;
    this.#columns = tapsFor(px);
    this.#rows = tapsFor(px);
  }

  /** Writes all 3 × px × px bytes of `target` (RGB). */
  draw({ pixels, width, height }: Pixels, window: Window, target: Uint8Array): void {
    const px = this.#px;
    const step = window.side / px;
    const across = placeTaps(this.#columns, { origin: window.left, step, length: width });
    const down = placeTaps(this.#rows, { origin: window.top, step, length: height });
    const columns = this.#columns;
    const rows = this.#rows;

    target.fill(0, 0, 3 * px * down.from);
    for (let v = down.from; v < down.to; v++) {
      const upper = 3 * width * rows.first[v]!;
      const lower = 3 * width * rows.second[v]!;
      const lowerShare = rows.secondShare[v]!;
      const upperShare = 256 - lowerShare;
      let out = 3 * (v * px + across.from);
      target.fill(0, 3 * v * px, out);
      for (let u = across.from; u < across.to; u++) {
        const first = 3 * columns.first[u]!;
        const second = 3 * columns.second[u]!;
        const secondShare = columns.secondShare[u]!;
        const a = (256 - secondShare) * upperShare;
        const b = secondShare * upperShare;
        const c = (256 - secondShare) * lowerShare;
        const d = secondShare * lowerShare;
        let i = upper + first;
        let j = upper + second;
        let k = lower + first;
        let l = lower + second;
        target[out++] =
          (pixels[i++]! * a + pixels[j++]! * b + pixels[k++]! * c + pixels[l++]! * d + half) >> 16;
        target[out++] =
          (pixels[i++]! * a + pixels[j++]! * b + pixels[k++]! * c + pixels[l++]! * d + half) >> 16;
        target[out++] = (pixels[i]! * a + pixels[j]! * b + pixels[k]! * c + pixels[l]! * d + half) >> 16;
      }
      target.fill(0, out, 3 * (v + 1) * px);
    }
    target.fill(0, 3 * px * down.to);
  }
}

/** Sets the sample positions along one side. Returns the range of target pixels that the image covers. */
function placeTaps(taps: Taps, { origin, step, length }: Side): { from: number; to: number } {
  const from = Math.max(0, Math.ceil(-origin / step - 0.5));
  const to = Math.min(taps.first.length, Math.ceil((length - origin) / step - 0.5));
  for (let u = from; u < to; u++) {
    const middle = origin + (u + 0.5) * step;
    if (step > bilinearStepMax) {
      taps.first[u] = clamp(Math.floor(middle - step / 4), length);
      taps.second[u] = clamp(Math.floor(middle + step / 4), length);
      taps.secondShare[u] = 128;
    } else {
      const before = Math.floor(middle - 0.5);
      taps.first[u] = clamp(before, length);
      taps.second[u] = clamp(before + 1, length);
      taps.secondShare[u] = Math.round(256 * (middle - 0.5 - before));
    }
  }
  return { from, to };
}

function clamp(position: number, length: number): number {
  return Math.min(Math.max(position, 0), length - 1);
}

function tapsFor(px: number): Taps {
  return { first: new Int32Array(px), second: new Int32Array(px), secondShare: new Int32Array(px) };
}

/** Two positions in the image for each target pixel, and the weight of the second one in 256ths. */
type Taps = { first: Int32Array; second: Int32Array; secondShare: Int32Array };
type Side = { origin: number; step: number; length: number };

/** A square of the image's plane that a detector searches, in pixels of the image. */
export type Window = { left: number; top: number; side: number };

/** The smallest square that holds the image in its upper left corner. */
export function imageWindow({ width, height }: Size): Window {
  return { left: 0, top: 0, side: Math.max(width, height) };
}

/**
 * The same with a margin of a quarter on each side. A face that fills its image is smaller in it and has
 * surroundings: most faces that the plain window misses are found in this one.
 */
export function marginWindow({ width, height }: Size): Window {
  const side = Math.max(width, height);
  return { left: -margin * side, top: -margin * side, side: (1 + 2 * margin) * side };
}

const margin = 0.25;
