/** JPEGs for tests that no encoder at hand writes: extra segments, changed bytes, wrong EXIF, many scans. */
import assert from "node:assert/strict";

/** The same image with one more segment, after the first `after` ones. */
export function withSegment(jpeg: Buffer, marker: number, payload: Buffer, after = 0): Buffer {
  let at = 2;
  for (let segment = 0; segment < after; segment++) at += 2 + jpeg.readUInt16BE(at + 2);
  const head = Buffer.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 0xff);
  return Buffer.concat([jpeg.subarray(0, at), head, payload, jpeg.subarray(at)]);
}

/** The same image with other bytes in its first segment of a marker. `at` counts from the marker's 0xff. */
export function patched(jpeg: Buffer, marker: number, at: number, ...values: number[]): Buffer {
  const copy = Buffer.from(jpeg);
  copy.set(values, segmentOffset(jpeg, marker) + at);
  return copy;
}

/** The offset of the first segment of a marker. */
export function segmentOffset(jpeg: Buffer, marker: number): number {
  const at = jpeg.indexOf(Buffer.of(0xff, marker));
  assert.ok(at > 0, `no segment ${marker.toString(16)}`);
  return at;
}

/** The payload of an APP1 segment whose entries are orientations, with wrong fields on request. */
export function exifBlock({
  order = "II",
  directoryAt = 8,
  entries,
  count = entries.length,
}: ExifFields): Buffer {
  const block = Buffer.alloc(16 + 12 * entries.length + 4);
  block.write(`Exif\0\0${order}`, "latin1");
  const short = (value: number, at: number) =>
    order === "II" ? block.writeUInt16LE(value, at) : block.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    order === "II" ? block.writeUInt32LE(value, at) : block.writeUInt32BE(value, at);
  short(42, 8);
  long(directoryAt, 10);
  short(count, 14);
  for (const [index, { tag = 0x0112, type = 3, values = 1, value }] of entries.entries()) {
    const at = 16 + 12 * index;
    short(tag, at);
    short(type, at + 2);
    long(values, at + 4);
    if (type === 4) long(value, at + 8);
    else short(value, at + 8);
  }
  return block;
}

export type ExifFields = {
  order?: string;
  directoryAt?: number;
  count?: number;
  entries: { tag?: number; type?: number; values?: number; value: number }[];
};

/** Grey, 2 x `rows` blocks, with a restart marker between rows. */
export function greyWithRestarts(rows: number, markers = true): Buffer {
  const data = Array.from({ length: rows }, (_, row) => {
    const restart = row > 0 && markers ? [0xff, 0xd0 + ((row - 1) % 8)] : [];
    return Buffer.of(...restart, 0b0000_1111);
  });
  const restarts = segment(0xdd, Buffer.of(0, 2));
  return Buffer.concat([...greyHeader(0xc0, rows), restarts, scan(0, 63, 0), ...data, Buffer.of(0xff, 0xd9)]);
}

/**
 * Grey, 16 x 16, progressive: one scan for all DC, then one for each AC coefficient, and one more to refine
 * each.
 */
export function greyWithScans(scans: number): Buffer {
  const data = Buffer.of(0b0000_1111);
  const rest = Array.from({ length: scans - 1 }, (_, index) => {
    const coefficient = 1 + (index % 63);
    return [scan(coefficient, coefficient, index < 63 ? 0x01 : 0x10), data];
  });
  const header = greyHeader(0xc2, 2);
  return Buffer.concat([...header, scan(0, 0, 0), data, ...rest.flat(), Buffer.of(0xff, 0xd9)]);
}

/** Both Huffman tables have one code of one bit: no difference, and end of block. */
function greyHeader(frame: number, rows: number): Buffer[] {
  const oneCode = Buffer.alloc(17);
  oneCode[0] = 1;
  return [
    Buffer.of(0xff, 0xd8),
    segment(0xdb, Buffer.of(0), Buffer.alloc(64, 1)),
    segment(frame, Buffer.of(8, 0, 8 * rows, 0, 16, 1, 1, 0x11, 0)),
    segment(0xc4, Buffer.of(0x00), oneCode),
    segment(0xc4, Buffer.of(0x10), oneCode),
  ];
}

function scan(from: number, to: number, approximation: number): Buffer {
  return segment(0xda, Buffer.of(1, 1, 0, from, to, approximation));
}

function segment(marker: number, ...payload: Buffer[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 2);
  return Buffer.concat([Buffer.of(0xff, marker, 0, length), ...payload]);
}
