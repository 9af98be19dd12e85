import { setImmediate } from "node:timers/promises";
import type { PlainJpeg } from "./jpeg-header.ts";

/** Width and height of a picture that was turned as its EXIF orientation asks. */
export function uprightSize({ width, height, orientation }: PlainJpeg): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

/**
 * Writes a picture turned as its EXIF orientation asks. `held` are its pixels as they lie in the file, a word of R, G, B and
 * anything for each; `upright` takes bytes of RGB and begins at a whole word. Lets the event loop have a turn after every
 * band: a whole picture takes some milliseconds.
 */
export async function turn(held: Uint32Array, picture: PlainJpeg, upright: Uint8Array): Promise<void> {
  const { width, height } = uprightSize(picture);
  const words = new Uint32Array(upright.buffer, upright.byteOffset, Math.floor(upright.length / 4));
  const way = stepsOf(picture);
  const bandRows = Math.max(1, Math.floor(BAND_PIXELS / width));
  for (let top = 0; top < height; top += bandRows) {
    turnBand({ held, upright, words, width, way, top, bottom: Math.min(height, top + bandRows) });
    await setImmediate();
  }
}

/** Four pixels are three words: writing bytes takes twice as long. */
function turnBand({ held, upright, words, width, way, top, bottom }: Band): void {
  const { first, right, down } = way;
  for (let left = 0; left < width; left += TILE) {
    const end = Math.min(width, left + TILE);
    for (let y = top; y < bottom; y++) {
      let x = left;
      let from = (first + y * down + left * right) | 0;
      for (; x < end; x++, from = (from + right) | 0) {
        if (x + 4 <= end && ((y * width + x) & 3) === 0) break;
        putPixel(held[from]!, upright, 3 * (y * width + x));
      }
      let to = (3 * ((y * width + x) >> 2)) | 0;
      for (; x + 4 <= end; x += 4) {
        const a = held[from]!;
        const b = held[(from + right) | 0]!;
        const c = held[(from + 2 * right) | 0]!;
        const d = held[(from + 3 * right) | 0]!;
        words[to] = (a & 0xffffff) | (b << 24);
        words[to + 1] = ((b >>> 8) & 0xffff) | (c << 16);
        words[to + 2] = ((c >>> 16) & 0xff) | (d << 8);
        to = (to + 3) | 0;
        from = (from + 4 * right) | 0;
      }
      for (; x < end; x++, from = (from + right) | 0) {
        putPixel(held[from]!, upright, 3 * (y * width + x));
      }
    }
  }
}

function putPixel(pixel: number, upright: Uint8Array, at: number): void {
  upright[at] = pixel & 0xff;
  upright[at + 1] = (pixel >>> 8) & 0xff;
  upright[at + 2] = (pixel >>> 16) & 0xff;
}

/** The numbers are those of the EXIF standard, and 1 needs no turning. */
function stepsOf({ width, height, orientation }: PlainJpeg): Way {
  const lastRow = (height - 1) * width;
  const last = lastRow + width - 1;
  switch (orientation) {
    case 2:
      return { first: width - 1, right: -1, down: width };
    case 3:
      return { first: last, right: -1, down: -width };
    case 4:
      return { first: lastRow, right: 1, down: -width };
    case 5:
      return { first: 0, right: width, down: 1 };
    case 6:
      return { first: lastRow, right: -width, down: 1 };
    case 7:
      return { first: last, right: -width, down: -1 };
    case 8:
      return { first: width - 1, right: width, down: -1 };
    default:
      return { first: 0, right: 1, down: width };
  }
}

/** Less than a millisecond. */
const BAND_PIXELS = 200_000;
/** Columns: where rows become columns, neighbours lie in different lines of the cache. */
const TILE = 64;

/** Of the pixels that are held: where the upright picture begins, and how far its next pixel is to the right and below. */
type Way = { first: number; right: number; down: number };

type Band = {
  held: Uint32Array;
  upright: Uint8Array;
  words: Uint32Array;
  width: number;
  way: Way;
  top: number;
  bottom: number;
};
