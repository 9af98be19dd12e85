/**
 * Calls `visit` for each marker segment of a JPEG (ITU T.81 B.1) after the offset `from`, up to the end of
 * the image. Skips entropy-coded data, fill bytes and restart markers, as libjpeg does. Does not check the
 * signature, and never throws. The end of the last segment may be after the end of the file.
 *
 *     SOI (2 bytes)  [ 0xff marker, length (2 bytes, itself included), payload ] …
 */
export function walkJpegSegments(
  bytes: Uint8Array,
  from: number,
  visit: (marker: number, payloadAt: number, end: number) => JpegWalkStep,
): void {
  const last = bytes.length - 4;
  let at = from;
  while (at <= last) {
    if (bytes[at] !== 0xff) {
      // Not indexOf, which takes ten times as long when all bytes are 0xff.
      do at++;
      while (at <= last && bytes[at] !== 0xff);
      continue;
    }
    const marker = bytes[at + 1]!;
    if (marker === jpegMarkers.endOfImage) return;
    if (marker === 0xff || isStandalone(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const end = at + 2 + bytes[at + 2]! * 256 + bytes[at + 3]!;
    if (visit(marker, at + 4, end) === "stop") return;
    at = end;
  }
}

type JpegWalkStep = "continue" | "stop";

export const jpegMarkers = {
  baselineFrame: 0xc0,
  extendedFrame: 0xc1,
  progressiveFrame: 0xc2,
  huffmanTables: 0xc4,
  arithmeticFrame: 0xc9,
  arithmeticProgressiveFrame: 0xca,
  endOfImage: 0xd9,
  startOfScan: 0xda,
  quantisationTables: 0xdb,
  restartInterval: 0xdd,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
} as const;

/** Whether no length follows: a stuffed or reserved byte, a restart marker, or the start of an image. */
function isStandalone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}
