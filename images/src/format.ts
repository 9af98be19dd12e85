/**
 * Returns the format of an image, detected from its signature, or undefined if the service does not support
 * it. The media type of a data URL and the name of a file are ignored.
 */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  if (startsWith(bytes, jpegSignature, 0)) return "jpeg";
  if (startsWith(bytes, pngSignature, 0)) return "png";
  if (startsWith(bytes, riffSignature, 0) && startsWith(bytes, webpSignature, 8)) return "webp";
  if (isAvif(heifBrands(bytes))) return "avif";
  return undefined;
}

export const imageFormats = ["jpeg", "png", "webp", "avif"] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** Names of the formats, for sentences. */
export const imageFormatNames = "JPEG, PNG, WebP or AVIF";

/**
 * Returns the brands of a HEIF file, the major one first, or an empty list for any other file. AVIF and HEIC
 * are HEIF files (ISO/IEC 23008-12, 10.2). Reads a bounded number of bytes.
 */
export function heifBrands(bytes: Uint8Array): string[] {
  if (!startsWith(bytes, fileTypeSignature, 4)) return [];
  const brandAt = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  const size = bytes[2]! * 256 + bytes[3]!;
  const end = Math.min(bytes[0] === 0 && bytes[1] === 0 ? size : 0, bytes.length, heifBrandsEndMax);
  // Between the major brand and the others are four bytes of a version.
  const brands = bytes.length < 12 ? [] : [brandAt(8)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(brandAt(at));
  return brands;
}

/** A sequence of images has another major brand. */
const isAvif = ([major = "", ...others]: string[]): boolean =>
  major === "avif" || ((major === "mif1" || major === "miaf") && others.includes("avif"));

const jpegSignature = [0xff, 0xd8, 0xff];
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const riffSignature = [0x52, 0x49, 0x46, 0x46];
const webpSignature = [0x57, 0x45, 0x42, 0x50];
const fileTypeSignature = [0x66, 0x74, 0x79, 0x70];
/** Sixty brands. Files have about six. */
const heifBrandsEndMax = 256;

function startsWith(bytes: Uint8Array, signature: readonly number[], offset: number): boolean {
  return signature.every((byte, i) => bytes[offset + i] === byte);
}
