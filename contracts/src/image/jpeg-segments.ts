/**
 * The one walk over the marker segments of a JPEG (ITU T.81 B.1), which all readers of its bytes share:
 *
 *     SOI (2 bytes)  [ 0xff marker, length (2 bytes, itself included), payload ] …
 *
 * In a `header`, every segment must follow the one before it, and at most `headerSegmentsMax` are visited:
 * the walk ends at the first byte that is laid out in another way, and costs a bounded time whatever the file
 * holds. In a `file`, the walk skips entropy-coded data, fill bytes and restart markers as libjpeg does, up
 * to the end of the image. Does not check the signature. dimensions.test.ts covers headers, inference's
 * scans.test.ts covers files.
 */
export function walkJpegSegments(
  bytes: Uint8Array,
  extent: "header" | "file",
  visit: (marker: number, payloadAt: number, end: number) => JpegWalkStep,
): void {
  const last = bytes.length - 4;
  let segments = 0;
  let at = 2;
  while (at <= last) {
    if (bytes[at] !== 0xff) {
      if (extent === "header") return;
      // By hand: indexOf costs ten times as much where all bytes are 0xff.
      do at++;
      while (at <= last && bytes[at] !== 0xff);
      continue;
    }
    const marker = bytes[at + 1]!;
    if (marker === jpegMarkers.endOfImage) return;
    if (marker === 0xff || isStandalone(marker)) {
      if (extent === "header") return;
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (extent === "header" && segments++ === headerSegmentsMax) return;
    const end = at + 2 + bytes[at + 2]! * 256 + bytes[at + 3]!;
    if (visit(marker, at + 4, end) === "stop") return;
    at = end;
  }
}

/** `end` is the offset behind the segment, and may lie behind the end of the file. */
type JpegWalkStep = "continue" | "stop";

export const jpegMarkers = {
  baselineFrame: 0xc0,
  extendedFrame: 0xc1,
  progressiveFrame: 0xc2,
  endOfImage: 0xd9,
  startOfScan: 0xda,
  app1: 0xe1,
  app14: 0xee,
} as const;

/** An escaped byte of data, a reserved byte, a restart, or the start of an image: no length follows. */
function isStandalone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** A colour profile may be split into 255 segments, and XMP likewise. */
const headerSegmentsMax = 600;
