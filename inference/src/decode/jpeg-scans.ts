import { imageFormat } from "@faceline/contracts/image/format";

/**
 * Whether a JPEG has more scans than any encoder makes. Each scan of a progressive picture is a pass over all its blocks,
 * 5 ms at 36 megapixels, and may be sixty bytes: no decoder has a bound, and a file of 10 MB would keep one for a quarter of
 * an hour. Passes over the bytes once, marker by marker as libjpeg does, up to the end of the picture.
 */
export function hasTooManyScans(bytes: Uint8Array): boolean {
  if (imageFormat(bytes) !== "jpeg") return false;
  let scans = 0;
  let at = 2;
  const end = bytes.length - 3;
  while (at < end) {
    // By hand: a search for the next 0xff costs ten times as much where all bytes are.
    while (at < end && bytes[at] !== 0xff) at++;
    if (at === end) return false;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (standalone(marker)) at += 2;
    else if (marker === EOI) return false;
    else {
      at += 2 + bytes[at + 2]! * 256 + bytes[at + 3]!;
      if (marker === SOS && ++scans > SCANS_MAX) return true;
    }
  }
  return false;
}

/** A byte of data, a restart, or one without a meaning: no length follows. */
const standalone = (second: number): boolean => second <= 0x01 || (second >= 0xd0 && second <= 0xd8);

const SOS = 0xda;
const EOI = 0xd9;
/** Ten are usual, and some twenty where the encoder looked for the best. */
const SCANS_MAX = 100;
