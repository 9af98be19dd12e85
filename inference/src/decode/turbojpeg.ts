import turbojpeg from "@julusian/jpeg-turbo";
import type { PlainJpegHeader } from "./jpeg/header.ts";
import { applyOrientation } from "./orientation.ts";

/**
 * Decodes a plain JPEG into `upright`: upright RGB, which must begin at a multiple of 8 bytes and may be
 * shared memory. Returns false where libjpeg-turbo had an error or a warning (the end is missing, bytes are
 * damaged): `upright` then holds anything. Runs in libuv's thread pool, except for the rotation.
 */
export async function decodeWithTurbojpeg(
  bytes: Uint8Array,
  jpeg: PlainJpegHeader,
  upright: Uint8Array,
): Promise<boolean> {
  if (jpeg.orientation === 1) return decompress(bytes, jpeg, bufferOf(upright), turbojpeg.FORMAT_RGB);
  const stored = Buffer.allocUnsafeSlow(4 * jpeg.width * jpeg.height);
  try {
    const ok = await decompress(bytes, jpeg, stored, turbojpeg.FORMAT_RGBX);
    if (ok) await applyOrientation(new Uint32Array(stored.buffer), jpeg, upright);
    return ok;
  } finally {
    // Zeroed at once, because nobody knows when it will be collected.
    stored.fill(0);
  }
}

async function decompress(
  bytes: Uint8Array,
  { width, height }: PlainJpegHeader,
  pixels: Buffer,
  format: turbojpeg.Format,
): Promise<boolean> {
  try {
    const decoded = await turbojpeg.decompress(bufferOf(bytes), pixels, { format });
    return decoded.width === width && decoded.height === height;
  } catch {
    // The message is dropped: it may quote the file.
    return false;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
