/**
 * Calls `visit` for each marker segment of a JPEG (ITU T.81 B.1). All readers of JPEG bytes use it:
 *
 *     SOI (2 bytes)  [ 0xff marker, length (2 bytes, itself included), payload ] …
 *
 * In a `header`, segments must be adjacent, and at most `headerSegmentsMax` are visited: the walk ends at the
 * first byte that does not start a segment, so its time is bounded for any file. In a `file`, the walk skips
 * entropy-coded data, fill bytes and restart markers, as libjpeg does, up to the end of the image. Does not
 * check the signature, and never throws. header.test.ts covers headers, and scans.test.ts in inference
 * covers files.
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
      // Not indexOf, which takes ten times as long when all bytes are 0xff.
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

/** Result of `visit`. Its `end` is the offset after the segment, which may be after the end of the file. */
type JpegWalkStep = "continue" | "stop";

export const jpegMarkers = {
  baselineFrame: 0xc0,
  extendedFrame: 0xc1,
  progressiveFrame: 0xc2,
  arithmeticFrame: 0xc9,
  arithmeticProgressiveFrame: 0xca,
  endOfImage: 0xd9,
  startOfScan: 0xda,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
} as const;

/** Frames that libraries decode: baseline, extended and progressive, with Huffman or arithmetic codes. */
export const jpegFrames: ReadonlySet<number> = new Set([
  jpegMarkers.baselineFrame,
  jpegMarkers.extendedFrame,
  jpegMarkers.progressiveFrame,
  jpegMarkers.arithmeticFrame,
  jpegMarkers.arithmeticProgressiveFrame,
]);

/** Whether no length follows: a stuffed or reserved byte, a restart marker, or the start of an image. */
function isStandalone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** Most segments before the first scan of a `file`; callers count them. No encoder writes nearly as many. */
export const jpegSegmentsMax = 10_000;

/** An ICC profile may be split into 255 segments, and XMP too. */
const headerSegmentsMax = 600;
