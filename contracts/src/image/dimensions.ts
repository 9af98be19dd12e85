import { imageFormat } from "./format.ts";
import { jpegMarkers, walkJpegSegments } from "./jpeg-segments.ts";

/**
 * Width and height in pixels, from a header that is laid out as its format's specification has it; undefined
 * where there is any doubt, and a library has to look. In almost every call this takes a microsecond, and
 * that 0.3 ms. Reads a bounded number of bytes, whatever they hold. (JPEG: ITU T.81 B.1; PNG: W3C PNG 11.2.1;
 * WebP: RFC 9649 2.)
 */
export function plainDimensions(image: Buffer): Dimensions | undefined {
  const found = readers[imageFormat(image) ?? "none"](image);
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
}

const readers = { jpeg: ofJpeg, png: ofPng, webp: ofWebp, none: () => undefined };

function ofJpeg(image: Buffer): Dimensions | undefined {
  let dimensions: Dimensions | undefined;
  walkJpegSegments(image, "header", (marker, payloadAt) => {
    if (marker < jpegMarkers.baselineFrame || marker === jpegMarkers.startOfScan) return "stop";
    if (!huffmanFrames.has(marker)) return "continue";
    if (payloadAt + 5 <= image.length) {
      dimensions = { width: image.readUInt16BE(payloadAt + 3), height: image.readUInt16BE(payloadAt + 1) };
    }
    return "stop";
  });
  return dimensions;
}

/** Baseline, extended and progressive frames of Huffman coding. */
const huffmanFrames: ReadonlySet<number> = new Set([
  jpegMarkers.baselineFrame,
  jpegMarkers.extendedFrame,
  jpegMarkers.progressiveFrame,
]);

function ofPng(image: Buffer): Dimensions | undefined {
  if (image.length < 33 || image.readUInt32BE(8) !== 13 || image.toString("latin1", 12, 16) !== "IHDR") {
    return undefined;
  }
  return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
}

function ofWebp(image: Buffer): Dimensions | undefined {
  if (image.length < 30) return undefined;
  switch (image.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + image.readUIntLE(24, 3), height: 1 + image.readUIntLE(27, 3) };
    case "VP8 ":
      if (image.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      if (image[20] !== 0x2f) return undefined;
      const packed = image.readUInt32LE(21);
      return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) };
    }
    default:
      return undefined;
  }
}

export type Dimensions = { width: number; height: number };
