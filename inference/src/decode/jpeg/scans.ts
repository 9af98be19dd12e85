import { imageFormat } from "@faceline/contracts/image/format";
import { jpegMarkers, walkJpegSegments } from "@faceline/contracts/image/jpeg-segments";

/**
 * Whether a JPEG has more scans than any encoder writes; false for other formats. Each scan of a progressive
 * picture is a pass over all its blocks, 5 ms at 36 megapixels, and may be sixty bytes long. No decoder
 * limits their number, so a file of 10 MB would occupy one for a quarter of an hour. Reads the bytes once.
 */
export function hasTooManyScans(bytes: Uint8Array): boolean {
  if (imageFormat(bytes) !== "jpeg") return false;
  let scans = 0;
  walkJpegSegments(bytes, "file", (marker) => {
    if (marker === jpegMarkers.startOfScan) scans++;
    return scans > scansMax ? "stop" : "continue";
  });
  return scans > scansMax;
}

/** Ten are usual, and about twenty where an encoder searched for the smallest file. */
const scansMax = 100;
