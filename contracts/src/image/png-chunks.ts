/**
 * Calls `visit` for each chunk of a PNG behind its header (W3C PNG 5.3), until it says otherwise. Returns
 * false for "invalid", and for more than `chunksMax` chunks. The end of the last one may be after the end of
 * the file. header.test.ts covers it.
 *
 *     signature (8 bytes)  [ length (4 bytes), type (4), content, checksum (4) ] …
 */
export function walkPngChunks(
  png: Buffer,
  visit: (type: number, start: number, end: number) => PngWalkStep,
): boolean {
  let at = pngHeaderEnd;
  for (let chunks = 0; at + 8 <= png.length; chunks++) {
    if (chunks === chunksMax) return false;
    const end = at + 12 + png.readUInt32BE(at);
    const step = visit(png.readUInt32BE(at + 4), at, end);
    if (step !== "continue") return step === "stop";
    at = end;
  }
  return true;
}

/** Result of `visit`. Its `start` and `end` are those of the whole chunk, with length and checksum. */
type PngWalkStep = "continue" | "stop" | "invalid";

const typeOf = (name: string): number => Buffer.from(name, "latin1").readUInt32BE();
export const pngTypes = {
  palette: typeOf("PLTE"),
  transparency: typeOf("tRNS"),
  exif: typeOf("eXIf"),
  pixels: typeOf("IDAT"),
  end: typeOf("IEND"),
} as const;

/** Behind the signature and a header of 13 bytes. */
export const pngHeaderEnd = 33;

/** Encoders write a chunk for every 8 or 32 KiB, some one for each row. */
const chunksMax = 30_000;
