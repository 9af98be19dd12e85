import turbojpeg from "@julusian/jpeg-turbo";
import type { Size } from "../geometry/pixels.ts";
import { applyOrientation, type StoredSize } from "./orientation.ts";
import { zeroAndFree } from "./zero-and-free.ts";

/**
 * Decodes a plain JPEG into `upright`: upright RGB, which must begin at a multiple of 8 bytes and may be
 * shared memory. `jpeg` has the size at which `decompress` decodes it, by default that of the file. Returns
 * false if libjpeg-turbo gave an error or a warning (the end is missing, bytes are damaged): `upright` may
 * then hold anything. Runs in libuv's thread pool, except for the rotation.
 */
export async function decodeWithTurbojpeg(
  bytes: Uint8Array,
  jpeg: StoredSize,
  upright: Uint8Array,
  decompress: Decompress = decompressInFull,
): Promise<boolean> {
  if (jpeg.orientation === 1) return decompress(bytes, jpeg, upright, turbojpeg.FORMAT_RGB);
  const stored = Buffer.allocUnsafeSlow(4 * jpeg.width * jpeg.height);
  try {
    const ok = await decompress(bytes, jpeg, stored, turbojpeg.FORMAT_RGBX);
    if (ok) await applyOrientation(new Uint32Array(stored.buffer), jpeg, upright);
    return ok;
  } finally {
    zeroAndFree(stored);
  }
}

const decompressInFull: Decompress = async (bytes, { width, height }, pixels, format) => {
  try {
    const decoded = await turbojpeg.decompress(bufferOf(bytes), bufferOf(pixels), { format });
    return decoded.width === width && decoded.height === height;
  } catch {
    // The message is dropped: it may quote the file.
    return false;
  }
};

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Decodes a JPEG to pixels in one of libjpeg-turbo's formats, without rotation. `size` is that of the decoded
 * image. Returns false if there was an error or a warning.
 */
export type Decompress = (
  bytes: Uint8Array,
  size: Size,
  pixels: Uint8Array,
  format: turbojpeg.Format,
) => Promise<boolean>;
