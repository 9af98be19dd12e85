/**
 * Returns the orientation, 1 to 8, that an EXIF block asks for: a TIFF file whose first directory has it,
 * with or without the `Exif` of a JPEG before it (EXIF 2.32, 4.5). 1 if it has none. Reads a bounded number
 * of bytes, whatever they hold, as no library does: entries may all point at the same values, and libexif
 * copies and prints them for each. edits.test.ts covers it.
 */
export function exifOrientation(block: Buffer): number {
  const tiff = isPrefixed(block) ? block.subarray(prefix.length) : block;
  if (tiff.length < headBytes) return upright;
  const order = tiff.toString("latin1", 0, 2);
  if (order !== "II" && order !== "MM") return upright;
  const short = (at: number) => (order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (order === "II" ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directoryAt = long(4);
  if (short(2) !== 42 || directoryAt + 2 > tiff.length) return upright;
  const last = Math.min(directoryAt + 2 + entryBytes * short(directoryAt), tiff.length) - entryBytes;
  for (let at = directoryAt + 2; at <= last; at += entryBytes) {
    if (short(at) !== orientationTag) continue;
    const [type, count] = [short(at + 2), long(at + 4)];
    const bytes = bytesOf[type];
    // Values that do not fit into the entry are elsewhere: an orientation is one, or the first of a few.
    if (bytes === undefined || count < 1 || count * bytes > 4) return upright;
    const value = bytes === 1 ? tiff[at + 8]! : bytes === 2 ? short(at + 8) : long(at + 8);
    return value >= 1 && value <= 8 ? value : upright;
  }
  return upright;
}

/** Returns the smallest TIFF file that asks for an orientation. */
export function orientationTiff(orientation: number): Buffer {
  const tiff = Buffer.alloc(headBytes + 2 + entryBytes + 4);
  tiff.write("II", "latin1");
  tiff.writeUInt16LE(42, 2);
  tiff.writeUInt32LE(headBytes, 4);
  tiff.writeUInt16LE(1, headBytes);
  tiff.writeUInt16LE(orientationTag, headBytes + 2);
  tiff.writeUInt16LE(3, headBytes + 4);
  tiff.writeUInt32LE(1, headBytes + 6);
  tiff.writeUInt16LE(orientation, headBytes + 10);
  return tiff;
}

const isPrefixed = (block: Buffer): boolean => block.subarray(0, prefix.length).equals(prefix);

export const upright = 1;
const prefix = Buffer.from("Exif\0\0", "latin1");
const orientationTag = 0x0112;
/** Bytes of a value by its type: BYTE, SHORT and LONG. The standard has SHORT, and libraries take all. */
const bytesOf: Record<number, number> = { 1: 1, 3: 2, 4: 4 };
/** Byte order, 42, and where the first directory is. */
const headBytes = 8;
const entryBytes = 12;
