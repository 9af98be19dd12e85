/**
 * Returns the format of an image, detected from its signature, or undefined if the service does not support
 * it. The media type of a data URL and the name of a file are ignored.
 */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  if (startsWith(bytes, jpegSignature, 0)) return "jpeg";
  if (startsWith(bytes, pngSignature, 0)) return "png";
  if (startsWith(bytes, riffSignature, 0) && startsWith(bytes, webpSignature, 8)) return "webp";
  return undefined;
}

export const imageFormats = ["jpeg", "png", "webp"] as const;
type ImageFormat = (typeof imageFormats)[number];

const jpegSignature = [0xff, 0xd8, 0xff];
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const riffSignature = [0x52, 0x49, 0x46, 0x46];
const webpSignature = [0x57, 0x45, 0x42, 0x50];

function startsWith(bytes: Uint8Array, signature: readonly number[], offset: number): boolean {
  return signature.every((byte, i) => bytes[offset + i] === byte);
}
