/**
 * The protobuf wire format: the few kinds of field that an ONNX file is made of.
 *
 *     field = varint(number << 3 | wire), then: 0 a varint, 2 a length and its bytes, 5 four bytes
 *
 * A message keeps its parts as they came: the megabytes of a weight are copied once, into the file.
 */
export class Message {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  int(field: number, value: number | bigint): this {
    return this.#tag(field, VARINT).#add(varint(value));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#tag(field, FOUR_BYTES).#add(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** Kept, not copied: the bytes must stay as they are until `encode`. */
  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, LENGTH).#add(varint(value.length)).#add(value);
  }

  /** Repeated integers in one field, as proto3 writes them. */
  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.#add(varint(value));
    return this.message(field, inner);
  }

  message(field: number, inner: Message): this {
    this.#tag(field, LENGTH).#add(varint(inner.#length));
    for (const part of inner.#parts) this.#add(part);
    return this;
  }

  encode(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const part of this.#parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  }

  #tag(field: number, wire: number): this {
    return this.#add(varint((field << 3) | wire));
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

/** Seven bits a byte, the lowest first. A negative number is its 64-bit two's complement: always ten bytes. */
export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** The fields of one message, in file order. Nested messages come as their bytes. */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(offset++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new Error(`no varint ends before byte ${offset}`);
  };

  while (offset < bytes.length) {
    const tag = Number(readVarint());
    const field = tag >> 3;
    const wire = tag & 7;
    if (wire === VARINT) {
      yield { field, value: readVarint() };
    } else if (wire === LENGTH) {
      const length = Number(readVarint());
      if (offset + length > bytes.length) throw new Error(`field ${field} is longer than its message`);
      yield { field, value: bytes.subarray(offset, offset + length) };
      offset += length;
    } else if (wire === FOUR_BYTES) {
      yield { field, value: view.getFloat32(offset, true) };
      offset += 4;
    } else {
      throw new Error(`field ${field} has the wire type ${wire}, which ONNX files do not use`);
    }
  }
}

export type Field = { field: number; value: bigint | number | Uint8Array };

const VARINT = 0;
const LENGTH = 2;
const FOUR_BYTES = 5;
