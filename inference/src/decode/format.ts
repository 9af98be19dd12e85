/**
 * The format of a picture, told by its first bytes: what a caller says of it is not believed. Undefined: none that
 * this service reads.
 */
export function formatOf(bytes: Uint8Array): Format | undefined {
  if (startsWith(bytes, JPEG, 0)) return "jpeg";
  if (startsWith(bytes, PNG, 0)) return "png";
  if (startsWith(bytes, RIFF, 0) && startsWith(bytes, WEBP, 8)) return "webp";
  return undefined;
}

export type Format = "jpeg" | "png" | "webp";

const JPEG = [0xff, 0xd8, 0xff];
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];

function startsWith(bytes: Uint8Array, signature: readonly number[], at: number): boolean {
  return signature.every((byte, i) => bytes[at + i] === byte);
}
