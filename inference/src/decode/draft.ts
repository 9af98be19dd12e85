import type { PlainJpegHeader } from "./jpeg/header.ts";
import { isLastLumaRefinement, type JpegScan } from "./jpeg/scans.ts";
import { decodeWithTurbojpeg } from "./turbojpeg.ts";

/**
 * Decodes a progressive JPEG without the scan that gives the last bit of its luma: a draft, as Pillow calls
 * it. That scan is half of the file and a third of the work, and says little about a face that is shrunk
 * before a network sees it. The engine asks for the full picture where a face is small.
 *
 * Returns false where the picture has no such scan or no end, is small, or where libjpeg-turbo had a doubt.
 * `bytes` are changed during the call.
 */
export async function decodeDraft(
  bytes: Uint8Array,
  jpeg: PlainJpegHeader,
  scans: readonly JpegScan[],
  upright: Uint8Array,
): Promise<boolean> {
  const last = scans.at(-1);
  if (last === undefined || !isLastLumaRefinement(last) || scans.length === 1) return false;
  if (Math.max(jpeg.width, jpeg.height) < draftSideMinPx || !endsWith(bytes, endOfImage)) return false;
  const end = last.at + endOfImage.length;
  bytes.set(endOfImage, last.at);
  try {
    return await decodeWithTurbojpeg(bytes.subarray(0, end), jpeg, upright);
  } finally {
    bytes.set(startOfScan, last.at);
  }
}

function endsWith(bytes: Uint8Array, end: readonly number[]): boolean {
  return end.every((byte, index) => bytes.at(index - end.length) === byte);
}

const startOfScan = [0xff, 0xda] as const;
const endOfImage = [0xff, 0xd9] as const;

/** Faces of smaller pictures are rarely shrunk. */
const draftSideMinPx = 1_000;
