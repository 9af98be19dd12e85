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
    return this.#tag(field, varintWire).#add(varint(value));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#tag(field, fourBytes).#add(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** Kept, not copied: the bytes must not change until `encode`. */
  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, lengthWire).#add(varint(value.length)).#add(value);
  }

  /** Repeated integers in one field, as proto3 writes them. */
  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.#add(varint(value));
    return this.message(field, inner);
  }

  message(field: number, inner: Message): this {
    this.#tag(field, lengthWire).#add(varint(inner.#length));
    for (const part of inner.#parts) this.#add(part);
    return this;
  }

  /** Appends a field as `readFields` gave it. */
  field({ field, value }: { field: number; value: bigint | number | Uint8Array }): this {
    if (typeof value === "bigint") return this.int(field, value);
    return typeof value === "number" ? this.float(field, value) : this.bytes(field, value);
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

/**
 * Seven bits a byte, the lowest first. A negative number is its 64-bit two's complement: always ten bytes.
 */
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

const varintWire = 0;
const lengthWire = 2;
const fourBytes = 5;
