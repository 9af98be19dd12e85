/**
 * The orientation, 1 to 8, of the payload of a JPEG's APP1 segment: `Exif`, two zeros, and a TIFF file whose
 * first directory has the orientation (EXIF 2.32, 4.5). 1 where it has none; undefined where the block is
 * laid out in another way or has the orientation twice. Reads a bounded number of bytes, whatever they hold.
 * decoder-comparison.test.ts covers it.
 */
export function exifOrientation(block: Buffer): number | undefined {
  if (block.length < headBytes || block.toString("latin1", 0, 6) !== "Exif\0\0") return undefined;
  const order = block.toString("latin1", 6, 8);
  if (order !== "II" && order !== "MM") return undefined;
  const short = (at: number) => (order === "II" ? block.readUInt16LE(at) : block.readUInt16BE(at));
  const long = (at: number) => (order === "II" ? block.readUInt32LE(at) : block.readUInt32BE(at));
  if (short(8) !== 42 || long(10) !== 8) return undefined;

  const entries = short(14);
  if (entries > entriesMax || headBytes + entries * entryBytes > block.length) return undefined;
  let orientation: number | undefined;
  for (let at = headBytes; at < headBytes + entries * entryBytes; at += entryBytes) {
    if (short(at) !== orientationTag) continue;
    const value = short(at + 8);
    const isPlain = short(at + 2) === shortType && long(at + 4) === 1 && value >= 1 && value <= 8;
    if (!isPlain || orientation !== undefined) return undefined;
    orientation = value;
  }
  return orientation ?? 1;
}

const orientationTag = 0x0112;
const shortType = 3;
/** `Exif`, two zeros, the TIFF header and the number of entries. */
const headBytes = 16;
const entryBytes = 12;
/** Cameras write about a dozen. */
const entriesMax = 100;
