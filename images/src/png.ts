import { crc32 } from "node:zlib";
import { addEdit, type Edit } from "./edits.ts";
import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import type { PngHeader, StoredImage } from "./header.ts";

/**
 * Describes a PNG (W3C PNG 5.3, 11.2, 11.3). What stays is the header, one palette, one list of transparent
 * colours, the pixels and the end: compressed texts and profiles inflate a thousandfold, and an animation's
 * further frames are images that nobody wants. There are no edits for a chunk that a reader must know and
 * does not, for more chunks than any encoder writes, and for more pixels than the header declares: a library
 * inflates them all.
 *
 *     signature (8 bytes)  [ length (4 bytes), type (4), content, checksum (4) ] …
 */
export function describePng(png: Buffer): StoredImage | undefined {
  const header = pngHeader(png);
  if (header === undefined) return undefined;
  const edits: Edit[] = [];
  const seen = new Set<number>();
  let orientation = upright;
  let isValid = true;
  let pixelBytes = 0;
  let at = headerEnd;
  for (let chunks = 0; at + 8 <= png.length; chunks++) {
    isValid &&= chunks < chunksMax;
    if (chunks === chunksMax) break;
    const [type, start, end] = [png.readUInt32BE(at + 4), at, at + 12 + png.readUInt32BE(at)];
    const isFirst = !seen.has(type);
    at = end;
    if (type === types.end) break;
    if (onceTypes.has(type)) seen.add(type);
    if (type === types.pixels) {
      pixelBytes += end - start - 12;
      isValid &&= pixelBytes <= storedBytesMax(header, png);
      if (end - start > 12) continue;
    } else if (type === types.palette) {
      isValid &&= isFirst && end - start <= paletteBytesMax;
      continue;
    } else if (type === types.transparency && isFirst && !seen.has(types.pixels)) {
      isValid &&= end - start <= paletteBytesMax;
      header.channels++;
      continue;
    } else if ((type & ancillaryBit) === 0) {
      isValid = false;
    }
    const isExif = type === types.exif && isFirst && !seen.has(types.pixels);
    if (isExif) orientation = exifOrientation(png.subarray(start + 8, Math.max(start + 8, end - 4)));
    const isTurned = isExif && orientation !== upright;
    // In a truncated file, the last chunk may extend beyond the end.
    const cut = { start, end: Math.min(end, png.length) };
    addEdit(edits, isTurned ? { ...cut, bytes: exifChunk(orientation) } : cut);
  }
  if (at < png.length) addEdit(edits, { start: at, end: png.length });
  if (!seen.has(types.pixels) && !seen.has(types.transparency)) return undefined;
  return { header, orientation, edits: isValid ? edits : undefined };
}

/** `channels` without that of a list of transparent colours. */
function pngHeader(png: Buffer): PngHeader | undefined {
  if (png.length < headerEnd || png.readUInt32BE(8) !== 13) return undefined;
  const channels = colourChannels[png[25]!];
  if (channels === undefined || png.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return {
    format: "png",
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    channels,
    bytesPerSample: png[24] === 16 ? 2 : 1,
    interlaced: png[28] !== 0,
  };
}

/** Channels by colour type: grey, RGB, palette (decoded to RGB), grey with alpha, RGB with alpha. */
const colourChannels: Record<number, number> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };

/**
 * The most bytes that the pixels take in a file: no code of deflate makes them longer by more than an eighth,
 * and each block has a few bytes more. An interlaced image has up to twice as many rows.
 */
function storedBytesMax({ width, height }: PngHeader, png: Buffer): number {
  const samples = png[25] === paletteType ? 1 : colourChannels[png[25]!]!;
  const rowBytes = 1 + Math.ceil((width * samples * png[24]!) / 8);
  return 1.25 * height * rowBytes + 16 * height + 65_536;
}

const paletteType = 3;

function exifChunk(orientation: number): Buffer {
  const content = Buffer.concat([Buffer.from("eXIf", "latin1"), orientationTiff(orientation)]);
  const chunk = Buffer.alloc(4 + content.length + 4);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), 4 + content.length);
  return chunk;
}

const typeOf = (name: string): number => Buffer.from(name, "latin1").readUInt32BE();
const types = {
  palette: typeOf("PLTE"),
  transparency: typeOf("tRNS"),
  exif: typeOf("eXIf"),
  pixels: typeOf("IDAT"),
  end: typeOf("IEND"),
} as const;
const onceTypes: ReadonlySet<number> = new Set([types.palette, types.transparency, types.exif, types.pixels]);

/** Behind the signature and a header of 13 bytes. */
const headerEnd = 33;
/** 256 colours of three bytes, with length, type and checksum. */
const paletteBytesMax = 12 + 768;
/** The first letter of a type is lower case if a reader may ignore the chunk. */
const ancillaryBit = 0x2000_0000;
/** Encoders write a chunk for every 8 or 32 KiB, some for each row. */
const chunksMax = 30_000;
