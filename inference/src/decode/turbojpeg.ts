import turbojpeg from "@julusian/jpeg-turbo";
import type { PlainJpeg } from "./jpeg-header.ts";
import { turn } from "./turn.ts";

/**
 * Decodes a plain JPEG, upright, into `upright`: RGB, which must begin at a whole word and may be shared memory. False:
 * libjpeg-turbo had an error or a warning about it (its end is missing, bytes are damaged), and `upright` holds anything.
 * In libuv's pool, all but the turning.
 */
export async function decodeByTurbo(
  bytes: Uint8Array,
  jpeg: PlainJpeg,
  upright: Uint8Array,
): Promise<boolean> {
  if (jpeg.orientation === 1) return decompressed(bytes, jpeg, bufferOf(upright), turbojpeg.FORMAT_RGB);
  const held = Buffer.allocUnsafeSlow(4 * jpeg.width * jpeg.height);
  try {
    const whole = await decompressed(bytes, jpeg, held, turbojpeg.FORMAT_RGBX);
    if (whole) await turn(new Uint32Array(held.buffer), jpeg, upright);
    return whole;
  } finally {
    // Nobody knows when it will be collected.
    held.fill(0);
  }
}

async function decompressed(
  bytes: Uint8Array,
  { width, height }: PlainJpeg,
  pixels: Buffer,
  format: turbojpeg.Format,
): Promise<boolean> {
  try {
    const decoded = await turbojpeg.decompress(bufferOf(bytes), pixels, { format });
    return decoded.width === width && decoded.height === height;
  } catch {
    // What it says may quote the file.
    return false;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
