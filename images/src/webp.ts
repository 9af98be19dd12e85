import { addEdit, type Edit, growthOf } from "./edits.ts";
import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import type { StoredImage, WebpHeader } from "./header.ts";

/**
 * Describes a WebP (RFC 9649 2). What stays is the canvas, the first image and its alpha: profiles and XMP
 * are copied by libraries, and a list of a hundred thousand frames takes one half a minute to walk. There are
 * no edits for a file that is cut short.
 *
 *     RIFF, size (4 bytes), WEBP  [ type (4), size (4), content, a zero if it is odd ] …
 */
export function describeWebp(webp: Buffer): StoredImage | undefined {
  const header = webpHeader(webp);
  if (header === undefined) return undefined;
  const damaged = { header, orientation: upright, edits: undefined };
  const fileEnd = 8 + webp.readUInt32LE(4);
  if (fileEnd > webp.length || fileEnd < headBytes + 8) return damaged;
  const isExtended = header.coding === "extended";
  const edits: Edit[] = [];
  const seen = new Set<number>();
  let flags = webp[canvasFlagsAt]! & keptFlags;
  let orientation = upright;
  let at = headBytes;
  for (let chunks = 0; at + 8 <= fileEnd; chunks++) {
    const [type, start, contentEnd] = [webp.readUInt32BE(at), at, at + 8 + webp.readUInt32LE(at + 4)];
    if (contentEnd > fileEnd || chunks === chunksMax) return damaged;
    const cut = { start, end: Math.min(contentEnd + (contentEnd & 1), webp.length) };
    at = cut.end;
    const isFirst = !seen.has(type);
    seen.add(type);
    // In a file without a canvas, nothing behind the image is read.
    if (isFirst && (isExtended ? extended.has(type) : start === headBytes)) continue;
    const isExif = isFirst && isExtended && type === types.exif;
    if (isExif) orientation = exifOrientation(webp.subarray(start + 8, contentEnd));
    const isTurned = isExif && orientation !== upright;
    if (isTurned) flags |= exifFlag;
    addEdit(edits, isTurned ? { ...cut, bytes: exifChunk(orientation) } : cut);
  }
  addEdit(edits, { start: Math.min(at, webp.length), end: webp.length });
  if (isExtended && webp[canvasFlagsAt] !== flags) {
    edits.unshift({ start: canvasFlagsAt, end: canvasFlagsAt + 1, bytes: Buffer.of(flags) });
  }
  const size = Buffer.alloc(4);
  size.writeUInt32LE(webp.length + growthOf(edits) - 8);
  if (!size.equals(webp.subarray(4, 8))) edits.unshift({ start: 4, end: 8, bytes: size });
  return { header, orientation, edits };
}

function webpHeader(webp: Buffer): WebpHeader | undefined {
  if (webp.length < 25) return undefined;
  switch (webp.readUInt32BE(headBytes)) {
    case types.canvas: {
      if (webp.length < 30) return undefined;
      const [width, height] = [1 + webp.readUIntLE(24, 3), 1 + webp.readUIntLE(27, 3)];
      return { format: "webp", width, height, coding: "extended" };
    }
    case types.lossy:
      if (webp.length < 30 || webp.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return {
        format: "webp",
        width: webp.readUInt16LE(26) & 0x3fff,
        height: webp.readUInt16LE(28) & 0x3fff,
        coding: "lossy",
      };
    case types.lossless: {
      if (webp[20] !== 0x2f) return undefined;
      const packed = webp.readUInt32LE(21);
      const [width, height] = [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
      return { format: "webp", width, height, coding: "lossless" };
    }
    default:
      return undefined;
  }
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
const extended: ReadonlySet<number> = new Set([
  types.canvas,
  types.animation,
  types.frame,
  types.alpha,
  types.lossy,
  types.lossless,
]);

/** A frame of an animation is one. */
const chunksMax = 30_000;
/** `RIFF`, the size and `WEBP`. */
const headBytes = 12;
const canvasFlagsAt = headBytes + 8;
/** Animation and alpha; not a profile, XMP or EXIF. */
const keptFlags = 0x02 | 0x10;
const exifFlag = 0x08;
