import type { Edit } from "./edits.ts";

/**
 * Returns the most pixels that an image may have. A JPEG of one scan may have five times `pixelsMax`, as
 * phones take images of 48 to 200 megapixels: it is decoded row by row to an eighth of its size, which takes
 * little memory, and its side must then be within the largest that is not shrunk.
 */
export function pixelsMaxOf(header: ImageHeader, pixelsMax: number): number {
  const isScaled = header.format === "jpeg" && !header.severalScans && header.components <= 3;
  return isScaled && Math.max(header.width, header.height) <= scaledSideMaxPx ? 5 * pixelsMax : pixelsMax;
}

const scaledSideMaxPx = 8 * 2_560;

/** Shortest side of an image that is decoded: with fewer pixels, faces cannot be told apart. */
export const imageSideMinPx = 16;

/** Description of the image in a file. */
export type StoredImage = {
  header: ImageHeader;
  /** That of EXIF, 1 to 8. An AVIF has 1, because its container says how it is turned, and stays. */
  orientation: number;
  /**
   * Leave nothing but pixels: libraries inflate, copy and print texts, thumbnails, profiles, further frames
   * and bytes after the end before they decode, so a file of 57 KB took 350 MiB that no header mentions. The
   * orientation is kept, in the smallest EXIF block that says it, and the colour profile of a CMYK JPEG.
   * Undefined if the layout cannot be that of an image.
   */
  edits: Edit[] | undefined;
  /**
   * `isPlain`, as almost all are: baseline or progressive, 8 bits, grey or YCbCr, chroma of full or half
   * size, in the order of ITU T.81 annex B, no frame twice. Where there is any doubt, it is not. `scanAt`:
   * the offset of the first scan's marker.
   */
  jpeg?: { isPlain: boolean; severalScans: boolean; scanAt: number };
};

/** Width and height are those of the stored image, before any rotation that its metadata ask for. */
export type ImageHeader = JpegHeader | PngHeader | WebpHeader | AvifHeader;

export type JpegHeader = {
  format: "jpeg";
  width: number;
  height: number;
  components: number;
  /** Samples of all components for each pixel: 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  /** Progressive, or a scan for each component: nothing can be decoded before all of it was read. */
  severalScans: boolean;
};

export type PngHeader = {
  format: "png";
  width: number;
  height: number;
  /** Channels after decoding: a palette has three, or four if it has transparent colours. */
  channels: number;
  bytesPerSample: 1 | 2;
  interlaced: boolean;
};

export type WebpHeader = {
  format: "webp";
  width: number;
  height: number;
  /** `extended` may be lossless, transparent or animated. */
  coding: "lossy" | "lossless" | "extended";
};

/** The largest of all images in the file: an image, its alpha, gain map and thumbnails. */
export type AvifHeader = {
  format: "avif";
  width: number;
  height: number;
  bytesPerSample: 1 | 2;
  /** 1 grey, 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  hasAlpha: boolean;
};
