import type { ImageHeader } from "./header.ts";

/**
 * Estimates how long it takes to decode an image with this many bytes, as a whole number of `costUnitMs` on
 * one core of the machine that it was measured on. A usual photograph costs 1, and the heaviest within the
 * default limits about 160. Other machines are faster or slower: the batcher learns how long a unit takes.
 * The estimate uses only the header and the size, and is right within a factor of two for photographs.
 */
export function decodingCost(header: ImageHeader, bytes: number): number {
  const pixels = header.width * header.height;
  const ms = (msPerMegapixel(header) * pixels + msPerMegabyte(header) * bytes) / 1_000_000;
  return Math.min(decodingCostMax, Math.max(1, Math.round(ms / costUnitMs)));
}

/** Measured with images of 40 megapixels, shrunk to 1,600 pixels: decision 46, for AVIF decision 85. */
function msPerMegapixel(header: ImageHeader): number {
  switch (header.format) {
    case "jpeg":
      // Four components are CMYK, whose profile is applied to every pixel.
      if (header.components === 4) return 32;
      return header.severalScans ? 6 * header.samplesPerPixel : 5;
    case "png":
      return 5 * header.channels * header.bytesPerSample * (header.interlaced ? 1.5 : 1);
    case "webp":
      return webpMsPerMegapixel[header.coding];
    case "avif":
      return (
        (40 + 8 * header.samplesPerPixel) *
        (header.bytesPerSample === 2 ? 1.7 : 1) *
        (header.hasAlpha ? 1.8 : 1)
      );
  }
}

/** Entropy decoding takes time for each byte, and again for each refinement of a progressive JPEG. */
function msPerMegabyte(header: ImageHeader): number {
  if (header.format === "avif") return 300;
  if (header.format !== "jpeg") return 0;
  return header.severalScans ? 40 : 20;
}

const webpMsPerMegapixel = { lossy: 15, lossless: 30, extended: 30 };

/** A baseline JPEG of two megapixels. */
export const costUnitMs = 10;
export const decodingCostMax = 1_000;
