/**
 * Returns the boxes between two offsets (ISO/IEC 14496-12, 4.2), or undefined if they are not adjacent, reach
 * over the end, or are more than `boxesMax`. Reads only the heads of boxes, so its time is bounded for any
 * file. header.test.ts covers it.
 *
 *     [ size (4 bytes, itself included), type (4), content ] …
 */
export function boxesIn(file: Buffer, start: number, end: number): Box[] | undefined {
  const boxes: Box[] = [];
  let at = start;
  while (at < end) {
    if (at + 8 > end || boxes.length === boxesMax) return undefined;
    const size = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    // 0: up to the end of the file. 1: the size is in 8 bytes after the type, for boxes above 4 GiB.
    const boxEnd = size === 0 ? end : at + size;
    if (size === 1 || boxEnd < at + 8 || boxEnd > end) return undefined;
    boxes.push({ type, start: at + 8, end: boxEnd });
    at = boxEnd;
  }
  return boxes;
}

/** `start` and `end` are offsets of the content in the file. */
export type Box = { type: string; start: number; end: number };

/** Most boxes or entries in one box: a property for each kind and tile, or an entry for each item. */
export const boxesMax = 4_096;

/** Reads numbers one after the other. A number past the end is 0 and makes the cursor invalid. */
export class Cursor {
  readonly #file: Buffer;
  readonly #end: number;
  #at: number;
  #isValid = true;

  constructor(file: Buffer, { start, end }: { start: number; end: number }) {
    this.#file = file;
    this.#at = start;
    this.#end = end;
  }

  /** Big-endian, of 0 to 4 bytes. */
  number(bytes: number): number {
    if (this.#at + bytes > this.#end) this.#isValid = false;
    if (!this.#isValid || bytes === 0) return 0;
    this.#at += bytes;
    return this.#file.readUIntBE(this.#at - bytes, bytes);
  }

  text(bytes: number): string {
    if (this.#at + bytes > this.#end) this.#isValid = false;
    if (!this.#isValid) return "";
    this.#at += bytes;
    return this.#file.toString("latin1", this.#at - bytes, this.#at);
  }

  get at(): number {
    return this.#at;
  }

  get isValid(): boolean {
    return this.#isValid;
  }
}
