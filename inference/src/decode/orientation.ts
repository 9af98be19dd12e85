import { setImmediate } from "node:timers/promises";
import type { Size } from "../geometry/pixels.ts";

/** Width and height as they lie in the file, before the EXIF orientation (1 to 8) is applied. */
export type StoredSize = Size & { orientation: number };

/** Width and height of an image after its EXIF orientation was applied. */
export function uprightSize({ width, height, orientation }: StoredSize): Size {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

/** The size of an image that is decoded at this many eighths of its size. */
export function scaledSize(size: StoredSize, eighths: number): StoredSize {
  const scaled = (side: number) => Math.ceil((side * eighths) / 8);
  return { ...size, width: scaled(size.width), height: scaled(size.height) };
}

/**
 * Writes an image into `upright` with its EXIF orientation applied. `stored` are its pixels as they lie in
 * the file, in words of R, G, B and one unused byte; `upright` takes RGB bytes and begins at a multiple of 4
 * bytes. Yields to the event loop after every band, because a whole image takes some milliseconds.
 */
export async function applyOrientation(
  stored: Uint32Array,
  image: StoredSize,
  upright: Uint8Array,
): Promise<void> {
  const { width, height } = uprightSize(image);
  const words = new Uint32Array(upright.buffer, upright.byteOffset, Math.floor(upright.length / 4));
  const traversal = traversalOf(image);
  const bandRows = Math.max(1, Math.floor(bandPixels / width));
  for (let top = 0; top < height; top += bandRows) {
    writeBand({ stored, upright, words, width, traversal, top, bottom: Math.min(height, top + bandRows) });
    await setImmediate();
  }
}

/** Writes words where it can, three for every four pixels: writing bytes takes twice as long. */
function writeBand({ stored, upright, words, width, traversal, top, bottom }: Band): void {
  const { first, right, down } = traversal;
  for (let left = 0; left < width; left += tileColumns) {
    const end = Math.min(width, left + tileColumns);
    for (let y = top; y < bottom; y++) {
      let x = left;
      let from = (first + y * down + left * right) | 0;
      for (; x < end; x++, from = (from + right) | 0) {
        if (x + 4 <= end && ((y * width + x) & 3) === 0) break;
        putPixel(stored[from]!, upright, 3 * (y * width + x));
      }
      let to = (3 * ((y * width + x) >> 2)) | 0;
      for (; x + 4 <= end; x += 4) {
        const a = stored[from]!;
        const b = stored[(from + right) | 0]!;
        const c = stored[(from + 2 * right) | 0]!;
        const d = stored[(from + 3 * right) | 0]!;
        words[to] = (a & 0xffffff) | (b << 24);
        words[to + 1] = ((b >>> 8) & 0xffff) | (c << 16);
        words[to + 2] = ((c >>> 16) & 0xff) | (d << 8);
        to = (to + 3) | 0;
        from = (from + 4 * right) | 0;
      }
      for (; x < end; x++, from = (from + right) | 0) {
        putPixel(stored[from]!, upright, 3 * (y * width + x));
      }
    }
  }
}

function putPixel(pixel: number, upright: Uint8Array, at: number): void {
  upright[at] = pixel & 0xff;
  upright[at + 1] = (pixel >>> 8) & 0xff;
  upright[at + 2] = (pixel >>> 16) & 0xff;
}

/** Maps an orientation of the EXIF standard (tag 274; 1 is upright) to the order in which pixels are read. */
function traversalOf({ width, height, orientation }: StoredSize): Traversal {
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

/**
 * Index of the stored pixel that comes first in the upright image, and the steps to its right and lower
 * neighbours.
 */
type Traversal = { first: number; right: number; down: number };

type Band = {
  stored: Uint32Array;
  upright: Uint8Array;
  words: Uint32Array;
  width: number;
  traversal: Traversal;
  top: number;
  bottom: number;
};

/** A band of these takes less than a millisecond. */
const bandPixels = 200_000;
/** Columns of a tile: if rows become columns, neighbours lie in different cache lines. */
const tileColumns = 64;
