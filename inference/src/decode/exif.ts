/**
 * The orientation, 1 to 8, that an EXIF block asks for; 1 where it asks for none. Undefined: the block is not laid out as
 * EXIF 2.32 4.5 has it, or says a thing twice. Reads a bounded number of bytes, whatever they hold.
 *
 * The block is what a JPEG's APP1 holds: `Exif`, two zeros, and a TIFF file whose first directory has the orientation.
 */
export function exifOrientation(block: Buffer): number | undefined {
  if (block.length < HEAD || block.toString("latin1", 0, 6) !== "Exif\0\0") return undefined;
  const order = block.toString("latin1", 6, 8);
  if (order !== "II" && order !== "MM") return undefined;
  const short = (at: number) => (order === "II" ? block.readUInt16LE(at) : block.readUInt16BE(at));
  const long = (at: number) => (order === "II" ? block.readUInt32LE(at) : block.readUInt32BE(at));
  if (short(8) !== 42 || long(10) !== 8) return undefined;

  const entries = short(14);
  if (entries > ENTRIES_MAX || HEAD + entries * ENTRY > block.length) return undefined;
  let orientation: number | undefined;
  for (let at = HEAD; at < HEAD + entries * ENTRY; at += ENTRY) {
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 8);
    const plain = short(at + 2) === SHORT && long(at + 4) === 1 && value >= 1 && value <= 8;
    if (!plain || orientation !== undefined) return undefined;
    orientation = value;
  }
  return orientation ?? 1;
}

const ORIENTATION = 0x0112;
const SHORT = 3;
/** `Exif`, two zeros, the TIFF header and the number of entries. */
const HEAD = 16;
const ENTRY = 12;
/** Cameras write a dozen. */
const ENTRIES_MAX = 100;
