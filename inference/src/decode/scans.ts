import { jpegMarkers, walkJpegSegments } from "@faceline/images/jpeg-segments";

/**
 * The scans of a JPEG whose first scan has its marker at `from`, up to one more than any encoder writes.
 * Reads the bytes after `from` once.
 */
export function scansOf(bytes: Uint8Array, from: number): JpegScan[] {
  const scans: JpegScan[] = [];
  walkJpegSegments(bytes, from, (marker, payloadAt, end) => {
    if (marker === jpegMarkers.startOfScan) {
      scans.push({ at: payloadAt - 4, payload: bytes.subarray(payloadAt, end) });
    }
    return hasTooManyScans(scans) ? "stop" : "continue";
  });
  return scans;
}

/**
 * Whether a JPEG has more scans than any encoder writes. Each scan of a progressive image is a pass over all
 * its blocks, 5 ms at 36 megapixels, and may be only sixty bytes long. No decoder limits their number, so a
 * file of 10 MB would keep one busy for a quarter of an hour.
 */
export function hasTooManyScans(scans: readonly JpegScan[]): boolean {
  return scans.length > scansMax;
}

/**
 * Whether a scan of a progressive image adds only the last bit of luma coefficients that earlier scans have
 * given: Y alone, Ss of 1 or more, Ah 1, Al 0 (ITU T.81 B.2.3 and G.1.1).
 */
export function isLastLumaRefinement({ payload }: JpegScan): boolean {
  const [components, id, , spectralStart = 0, , approximation] = payload;
  return components === 1 && id === 1 && spectralStart > 0 && approximation === 0x10;
}

/** Ten are usual, and about twenty if an encoder searched for the smallest file. */
const scansMax = 100;

/** `at`: the offset of the scan's marker. `payload`: its header, which may be cut short. */
export type JpegScan = { at: number; payload: Uint8Array };
