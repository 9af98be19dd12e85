import { describeAvif } from "./avif.ts";
import { type ImageFormat, imageFormat } from "./format.ts";
import type { StoredImage } from "./header.ts";
import { describeJpeg, type UnusualJpeg } from "./jpeg.ts";
import { describePng } from "./png.ts";
import { describeWebp } from "./webp.ts";

/**
 * Returns what the service has to know about an image before a pixel is decoded. No library is used:
 * libraries read everything before the pixels, while this takes some microseconds, or at most a few
 * milliseconds per megabyte of a file that was made to be slow. Never throws.
 */
export function describeImage(image: Buffer): ImageDescription {
  const format = imageFormat(image);
  if (format === undefined) return { kind: "unknown" };
  const read = readers[format](image);
  if (read !== undefined && "unusual" in read) return { kind: "unusual", ...read };
  const isWhole = read !== undefined && read.header.width > 0 && read.header.height > 0;
  return isWhole ? { kind: "image", ...read } : { kind: "damaged", format };
}

const readers: Record<ImageFormat, (image: Buffer) => StoredImage | UnusualJpeg | undefined> = {
  jpeg: describeJpeg,
  png: describePng,
  webp: describeWebp,
  avif: describeAvif,
};

/** `unknown`: not in an accepted format. */
export type ImageDescription =
  | ({ kind: "image" } & StoredImage)
  | { kind: "damaged"; format: ImageFormat }
  | ({ kind: "unusual" } & UnusualJpeg)
  | { kind: "unknown" };
