import type { Slab } from "../memory/slab-pool.ts";

/**
 * Decodes the Base64, or the data URL, that lies in `bytes`, and appends it to what the slab holds. Returns
 * where the image ends in the slab; undefined, with nothing written, unless the text is plain Base64 to its
 * last character: without white space, escapes, or anything else that `imageBytes` may accept. The decoder
 * takes texts alone, so pieces of the bytes become texts, which the next scavenge finds dead.
 */
export function decodeBase64(bytes: Buffer, range: BytesRange, slab: Slab): number | undefined {
  const from = range.from + prefixBytes(bytes, range);
  const to = withoutPadding(bytes, { from, to: range.to });
  let end = slab.writtenBytes;
  for (let at = from; at < to; at += pieceBytes) {
    const pieceTo = Math.min(to, at + pieceBytes);
    const written = slab.bytes.write(bytes.toString("latin1", at, pieceTo), end, "base64");
    // The decoder skips characters that are not Base64; then the result is too short.
    if (written !== ((pieceTo - at) * 3) >> 2 || (pieceTo - at) % 4 === 1) {
      // What follows `written` may have been overwritten as well.
      slab.bytes.fill(0, slab.writtenBytes, Math.min(slab.bytes.length, end + pieceBytes));
      return undefined;
    }
    end += written;
  }
  slab.wroteUpTo(end);
  return end;
}

/** Maximum number of bytes of the image in a string. */
export const decodedBytesMax = ({ from, to }: BytesRange): number => Math.ceil(((to - from) * 3) / 4);

/** Length of `data:image/jpeg;base64,`; 0: it is missing, or not written plainly. */
function prefixBytes(bytes: Buffer, { from, to }: BytesRange): number {
  const start = bytes.toString("latin1", from, Math.min(to, from + dataUrlPrefixCharactersMax));
  return dataUrl.exec(start)?.[0].length ?? 0;
}

/** The prefix of a data URL as `imageBytes` takes it, as far as it needs no escapes in JSON. */
const dataUrl = /^data:[\x20-\x2b\x2d-\x5b\x5d-\x7e]*;base64,/i;
export const dataUrlPrefixCharactersMax = 256;

/** Returns the end of the text without up to two padding characters. */
function withoutPadding(bytes: Buffer, { from, to }: BytesRange): number {
  for (let padding = 0; padding < 2 && to > from && bytes[to - 1] === equalsSign; padding++) to--;
  return to;
}

const equalsSign = 0x3d;

/** A multiple of 4. Strings above about 100 KiB are expensive to collect. */
const pieceBytes = 48 * 1024;

type BytesRange = { from: number; to: number };
