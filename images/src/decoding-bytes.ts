import type { AvifHeader, ImageHeader } from "./header.ts";

// Tested with real files in inference/src/decode/decoding-memory.test.ts.

/**
 * Returns the maximum memory, in bytes, that libvips takes to decode an image and to shrink it: what a
 * decoder must hold as a whole before it can return the first row, and strips of rows while the image is
 * shrunk. The constants are upper bounds of measurements with images of 40 megapixels and 16 to 1,000,000
 * pixels wide (decision 46).
 */
export function decodingBytes(header: ImageHeader): number {
  if (header.format === "avif") return Math.ceil(avifBytes(header));
  return Math.ceil(heldBytes(header) + stripRows * rowBytes(header) + libraryBytes);
}

/** Bytes of the whole image that are held at once: none if it arrives row by row. */
function heldBytes(header: RowsHeader): number {
  const pixels = header.width * header.height;
  switch (header.format) {
    case "jpeg":
      // Coefficients of the cosine transform, of 16 bits.
      return header.severalScans ? 2 * header.samplesPerPixel * pixels : 0;
    case "png":
      return header.interlaced ? header.channels * header.bytesPerSample * pixels : 0;
    case "webp":
      return webpBytesPerPixel[header.coding] * pixels;
  }
}

/** ARGB of a lossless image. */
const webpBytesPerPixel = { lossy: 0, lossless: 4, extended: 4 };

/** Bytes of one row as libvips shrinks it: it lets the decoders of JPEG and WebP shrink beforehand. */
function rowBytes(header: RowsHeader): number {
  switch (header.format) {
    case "jpeg":
      return (header.width / 2) * header.components;
    case "png":
      return header.width * header.channels * header.bytesPerSample;
    case "webp":
      return Math.min(header.width, webpRowPixelsMax) * 4;
  }
}

/** AVIF is decoded whole, with frames and filters of its decoder (decision 85; with one arena of glibc). */
function avifBytes({ width, height, samplesPerPixel, bytesPerSample }: AvifHeader): number {
  const perPixel = 13 + 1.85 * samplesPerPixel * bytesPerSample;
  return perPixel * (width + 2 * avifBorderPx) * (height + 2 * avifBorderPx) + avifLibraryBytes;
}

/** Around each frame, for motion vectors that point beyond its edge. */
const avifBorderPx = 64;
const avifLibraryBytes = 2_500_000;

/** Wider images are shrunk by their decoder. */
const webpRowPixelsMax = 3_000;
const stripRows = 1_500;
/** Buffers that do not depend on the image. */
const libraryBytes = 30_000_000;

/** Formats that are decoded row by row, or held whole and then passed on so. */
type RowsHeader = Exclude<ImageHeader, AvifHeader>;

/** The most memory that a worker may take to decode one image. */
export const decodingBytesMax = 200 * 2 ** 20;
