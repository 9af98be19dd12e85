import type { Pixels } from "../geometry/pixels.ts";
import { type StoredSize, scaledSize, uprightSize } from "./orientation.ts";
import { isLastLumaRefinement, type JpegScan } from "./scans.ts";
import { decodeWithTurbojpeg } from "./turbojpeg.ts";
import { decompressScaled } from "./turbojpeg-scaled.ts";

/**
 * Decodes a draft of a plain JPEG into the beginning of `upright`, as Pillow calls it: less than the file
 * holds, for less work. The engine asks for the full image where a face is small.
 *
 * - A large image is decoded at half the scale of the full one, which has `eighths` of the file's size.
 * - A progressive one is decoded without the scan that gives the last bit of its luma. That scan is half of
 *   the file and a third of the work, and a face that is shrunk before a network sees it shows little of it.
 *
 * Returns undefined if there is nothing to save, and where libjpeg-turbo had a doubt. `bytes` are changed
 * during the call.
 */
export async function decodeDraft(
  bytes: Uint8Array,
  { jpeg, scans, eighths }: ScaledJpeg,
  upright: Uint8Array,
): Promise<Pixels | undefined> {
  const half = scaledSize(jpeg, eighths >> 1);
  const isHalved = decompressScaled !== undefined && longSide(half) >= halfSideMinPx;
  const last = longSide(jpeg) < shortenedSideMinPx ? undefined : dispensableScan(bytes, scans);
  if (!isHalved && last === undefined) return undefined;

  const draft = isHalved ? half : scaledSize(jpeg, eighths);
  const pixels = upright.subarray(0, 3 * draft.width * draft.height);
  const end = last === undefined ? bytes.length : last.at + endOfImage.length;
  if (last !== undefined) bytes.set(endOfImage, last.at);
  try {
    const decompress = isHalved || eighths < 8 ? decompressScaled : undefined;
    const ok = await decodeWithTurbojpeg(bytes.subarray(0, end), draft, pixels, decompress);
    return ok ? { pixels, ...uprightSize(draft) } : undefined;
  } finally {
    if (last !== undefined) bytes.set(startOfScan, last.at);
  }
}

/** The last scan, if it gives no more than the last bit of the luma, and the file does not end within it. */
function dispensableScan(bytes: Uint8Array, scans: readonly JpegScan[]): JpegScan | undefined {
  const last = scans.length > 1 ? scans.at(-1)! : undefined;
  const hasEnd = endOfImage.every((byte, index) => bytes.at(index - endOfImage.length) === byte);
  return last !== undefined && hasEnd && isLastLumaRefinement(last) ? last : undefined;
}

const longSide = ({ width, height }: StoredSize) => Math.max(width, height);

const startOfScan = [0xff, 0xda] as const;
const endOfImage = [0xff, 0xd9] as const;

/** More than the detector's largest input. */
const halfSideMinPx = 640;
/** Faces of smaller images are rarely shrunk. */
const shortenedSideMinPx = 1_000;

/** A JPEG whose full image has some eighths of its size. `scans`: empty if there is only one. */
type ScaledJpeg = { jpeg: StoredSize; scans: readonly JpegScan[]; eighths: number };
