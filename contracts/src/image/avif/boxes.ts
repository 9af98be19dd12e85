/**
 * Returns adjacent boxes (ISO/IEC 14496-12, 4.2). Reads only their heads. Throws a RangeError if one reaches
 * over the end, or if they are too many. image.test.ts covers it.
 *
 *     [ size (4 bytes, itself included), type (4), content ] …
 */
export function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    // 0: up to the end. 1, for boxes above 4 GiB, is refused.
    const size = bytes.readUInt32BE(at) || bytes.length - at;
    const whole = bytes.subarray(at, at + size);
    if (size < 8 || whole.length < size || boxes.length === boxesMax) throw new RangeError("not a box");
    boxes.push({ type: whole.toString("latin1", 4, 8), content: whole.subarray(8), whole });
    at += size;
  }
  return boxes;
}

/** Throws a RangeError if there is none. */
export function contentOf(boxes: Box[], type: string): Buffer {
  const box = boxes.find((each) => each.type === type);
  if (box === undefined) throw new RangeError("no such box");
  return box.content;
}

/** Reads numbers of 0 to 4 or 8 bytes, big-endian, one after the other. Throws a RangeError at the end. */
export function numbersOf(content: Buffer, at: number): (bytes: number) => number {
  const read = (bytes: number): number => {
    if (bytes === 8) return read(4) * 2 ** 32 + read(4);
    at += bytes;
    return bytes === 0 ? 0 : content.readUIntBE(at - bytes, bytes);
  };
  return read;
}

export type Box = { type: string; content: Buffer; whole: Buffer };

/** A property for each kind and tile, or an entry for each item. */
const boxesMax = 4_096;
