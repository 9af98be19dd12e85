import type { Size, Window } from "./window.ts";

/**
 * Draws what lies in a window of a picture as a square of `px` pixels; black where there is no picture.
 *
 * Two samples each way make a pixel: neighbours with weights where the picture keeps about its size (bilinear),
 * a half pixel apart with equal weights where it shrinks. More are not seen to change what is detected.
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

  draw({ pixels, width, height }: Pixels, window: Window, target: Uint8Array): void {
    const px = this.#px;
    const step = window.side / px;
    const across = place(this.#columns, { origin: window.left, step, length: width });
    const down = place(this.#rows, { origin: window.top, step, length: height });
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
          (pixels[i++]! * a + pixels[j++]! * b + pixels[k++]! * c + pixels[l++]! * d + HALF) >> 16;
        target[out++] =
          (pixels[i++]! * a + pixels[j++]! * b + pixels[k++]! * c + pixels[l++]! * d + HALF) >> 16;
        target[out++] = (pixels[i]! * a + pixels[j]! * b + pixels[k]! * c + pixels[l]! * d + HALF) >> 16;
      }
      target.fill(0, out, 3 * (v + 1) * px);
    }
    target.fill(0, 3 * px * down.to);
  }
}

/** Where along one side the samples lie. Returns which pixels of the drawing the picture covers. */
function place(taps: Taps, { origin, step, length }: Side): { from: number; to: number } {
  const from = Math.max(0, Math.ceil(-origin / step - 0.5));
  const to = Math.min(taps.first.length, Math.ceil((length - origin) / step - 0.5));
  for (let u = from; u < to; u++) {
    const middle = origin + (u + 0.5) * step;
    if (step > BILINEAR_STEP_MAX) {
      taps.first[u] = within(Math.floor(middle - step / 4), length);
      taps.second[u] = within(Math.floor(middle + step / 4), length);
      taps.secondShare[u] = 128;
    } else {
      const before = Math.floor(middle - 0.5);
      taps.first[u] = within(before, length);
      taps.second[u] = within(before + 1, length);
      taps.secondShare[u] = Math.round(256 * (middle - 0.5 - before));
    }
  }
  return { from, to };
}

function within(position: number, length: number): number {
  return Math.min(Math.max(position, 0), length - 1);
}

function tapsFor(px: number): Taps {
  return { first: new Int32Array(px), second: new Int32Array(px), secondShare: new Int32Array(px) };
}

/** Pixels of the picture per pixel of the drawing. Above it, neighbours no longer touch and the picture would flicker. */
const BILINEAR_STEP_MAX = 1.5;
/** Rounds the sum of four products of 8 bits and two shares of 256. */
const HALF = 1 << 15;

/** RGB, row by row, 8 bits. */
export type Pixels = Size & { pixels: Uint8Array };

/** For each pixel of the drawing, two positions in the picture and the second one's share in 256ths. */
type Taps = { first: Int32Array; second: Int32Array; secondShare: Int32Array };
type Side = { origin: number; step: number; length: number };
