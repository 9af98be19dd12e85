import { crc32 } from "node:zlib";
import { pngHeaderEnd, pngTypes, walkPngChunks } from "@faceline/contracts/image/png-chunks";
import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import { KeptBytes, type PlainImage } from "./kept-bytes.ts";

/**
 * Keeps the header, one palette, one list of transparent colours, the pixels and the end. Compressed texts
 * and profiles inflate a thousandfold, and an animation's further frames are images that nobody wants.
 * Returns undefined for a chunk that a reader must know and does not, and for more pixels than the header
 * tells of: a library inflates them all. without-metadata.test.ts covers it.
 */
export function pngWithoutMetadata(png: Buffer): PlainImage | undefined {
  if (png.length < pngHeaderEnd) return undefined;
  const kept = new KeptBytes(png);
  const seen = new Set<number>();
  const bytesMax = storedBytesMax(png);
  let orientation = upright;
  let bytes = 0;
  const isValid = walkPngChunks(png, (type, start, end) => {
    if (type === pngTypes.end) {
      if (end < png.length) kept.cut(end, png.length);
      return "stop";
    }
    const isFirst = !seen.has(type);
    if (onceTypes.has(type)) seen.add(type);
    if (type === pngTypes.pixels) {
      bytes += end - start - 12;
      if (bytes > bytesMax) return "invalid";
      if (end - start > 12) return "continue";
    } else if (type === pngTypes.palette) {
      return isFirst && end - start <= paletteBytesMax ? "continue" : "invalid";
    } else if (type === pngTypes.transparency && isFirst && !seen.has(pngTypes.pixels)) {
      return end - start <= paletteBytesMax ? "continue" : "invalid";
    } else if ((type & ancillaryBit) === 0) {
      return "invalid";
    }
    const isExif = type === pngTypes.exif && isFirst && !seen.has(pngTypes.pixels);
    if (isExif) orientation = exifOrientation(png.subarray(start + 8, Math.max(start + 8, end - 4)));
    const isTurned = isExif && orientation !== upright;
    // Of a file that is cut short, the last chunk may reach over its end.
    kept.cut(start, Math.min(end, png.length), isTurned ? exifChunk(orientation) : undefined);
    return "continue";
  });
  return isValid ? { image: kept.end(), orientation } : undefined;
}

/**
 * The most bytes that the pixels take in a file: no code of deflate makes them longer by more than an eighth,
 * and each block has a few bytes more. An interlaced image has up to twice as many rows.
 */
function storedBytesMax(png: Buffer): number {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const samples = samplesByColourType[png[25]!] ?? 4;
  const rowBytes = 1 + Math.ceil((width * samples * png[24]!) / 8);
  return 1.25 * height * rowBytes + 16 * height + 65_536;
}

const samplesByColourType: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function exifChunk(orientation: number): Buffer {
  const content = Buffer.concat([Buffer.from("eXIf", "latin1"), orientationTiff(orientation)]);
  const chunk = Buffer.alloc(4 + content.length + 4);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), 4 + content.length);
  return chunk;
}

const onceTypes: ReadonlySet<number> = new Set([
  pngTypes.palette,
  pngTypes.transparency,
  pngTypes.exif,
  pngTypes.pixels,
]);

/** 256 colours of three bytes, with length, type and checksum. */
const paletteBytesMax = 12 + 768;

/** The first letter of a type is small where a reader may do without the chunk. */
const ancillaryBit = 0x2000_0000;
