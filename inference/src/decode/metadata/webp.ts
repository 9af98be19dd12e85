import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import { KeptBytes, type PlainImage } from "./kept-bytes.ts";

/**
 * Keeps the canvas, the first image and its alpha (RFC 9649 2.7). Profiles and XMP are copied by libraries,
 * and a list of a hundred thousand frames takes one half a minute to walk. Returns undefined for a file that
 * is cut short. without-metadata.test.ts covers it.
 *
 *     RIFF, size (4 bytes), WEBP  [ type (4), size (4), content, a zero if it is odd ] …
 */
export function webpWithoutMetadata(webp: Buffer): PlainImage | undefined {
  const fileEnd = webp.length >= headBytes + 8 ? 8 + webp.readUInt32LE(4) : Number.POSITIVE_INFINITY;
  if (fileEnd > webp.length || fileEnd < headBytes + 8) return undefined;
  const first = webp.readUInt32BE(headBytes);
  const isExtended = first === types.canvas;
  if (!isExtended && !images.has(first)) return undefined;
  const kept = new KeptBytes(webp);
  const seen = new Set<number>();
  let flags = isExtended ? webp[canvasFlagsAt]! & keptFlags : undefined;
  let orientation = upright;
  let at = headBytes;
  for (let chunks = 0; at + 8 <= fileEnd; chunks++) {
    const type = webp.readUInt32BE(at);
    const contentEnd = at + 8 + webp.readUInt32LE(at + 4);
    if (contentEnd > fileEnd || chunks === chunksMax) return undefined;
    const end = Math.min(contentEnd + (contentEnd & 1), webp.length);
    const isFirst = !seen.has(type);
    // In a file without a canvas, nothing behind the image is read.
    const isKept = isFirst && (flags === undefined ? at === headBytes : extended.has(type));
    if (isKept) {
      seen.add(type);
    } else if (isFirst && type === types.exif && flags !== undefined) {
      seen.add(type);
      orientation = exifOrientation(webp.subarray(at + 8, contentEnd));
      if (orientation !== upright) flags |= exifFlag;
      kept.cut(at, end, orientation === upright ? undefined : exifChunk(orientation));
    } else {
      kept.cut(at, end);
    }
    at = end;
  }
  kept.cut(Math.min(at, webp.length), webp.length);
  return { image: withLengthAndFlags(webp, kept.end(), flags), orientation };
}

/** `kept` with its length, and with what else there is in the canvas. Not copied where these are right. */
function withLengthAndFlags(webp: Buffer, kept: Buffer, flags: number | undefined): Buffer {
  const isRight =
    kept.readUInt32LE(4) === kept.length - 8 && (flags === undefined || kept[canvasFlagsAt] === flags);
  if (isRight) return kept;
  const copy = kept === webp ? Buffer.from(webp) : kept;
  copy.writeUInt32LE(kept.length - 8, 4);
  if (flags !== undefined) copy[canvasFlagsAt] = flags;
  return copy;
}

function exifChunk(orientation: number): Buffer {
  const tiff = orientationTiff(orientation);
  const head = Buffer.from("EXIF\0\0\0\0", "latin1");
  head.writeUInt32LE(tiff.length, 4);
  return Buffer.concat([head, tiff]);
}

const typeOf = (name: string): number => Buffer.from(name, "latin1").readUInt32BE();
const types = {
  canvas: typeOf("VP8X"),
  animation: typeOf("ANIM"),
  frame: typeOf("ANMF"),
  alpha: typeOf("ALPH"),
  lossy: typeOf("VP8 "),
  lossless: typeOf("VP8L"),
  exif: typeOf("EXIF"),
} as const;
const images: ReadonlySet<number> = new Set([types.lossy, types.lossless]);
const extended: ReadonlySet<number> = new Set([
  types.canvas,
  types.animation,
  types.frame,
  types.alpha,
  ...images,
]);

/** A frame of an animation is one. */
const chunksMax = 30_000;

/** `RIFF`, the size and `WEBP`. */
const headBytes = 12;
const canvasFlagsAt = headBytes + 8;
/** Animation and alpha; not a profile, XMP or EXIF. */
const keptFlags = 0x02 | 0x10;
const exifFlag = 0x08;
