/** The formats that are taken, by the first bytes. What a data URL or a file name claims is not believed. */
export function formatOf(bytes: Buffer): ImageFormat | undefined {
  if (bytes.subarray(0, 3).equals(jpegStart)) return "jpeg";
  if (bytes.subarray(0, 8).equals(pngStart)) return "png";
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") return "webp";
  return undefined;
}

const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const imageFormats = ["jpeg", "png", "webp"] as const;
export type ImageFormat = (typeof imageFormats)[number];
