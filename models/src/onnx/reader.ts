/**
 * The fields of one message, in file order. Nested messages are returned as their bytes, which are not
 * copied. Throws for what the protobuf library would refuse, or skip silently.
 */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  const readVarint = (): bigint => {
    const first = view.getUint8(offset);
    if (first < 0x80) {
      offset++;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(offset++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new Error(`no varint ends before byte ${offset}`);
  };
  /** A tag or a length: at most five bytes. */
  const readUint32 = (): number => {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = view.getUint8(offset++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80 && value < 2 ** 32) return value;
      if (byte < 0x80) break;
    }
    throw new Error(`the number before byte ${offset} has more than 32 bits`);
  };

  while (offset < bytes.length) {
    const tag = readUint32();
    const field = tag >>> 3;
    const wire = tag & 7;
    if (field === 0) throw new Error(`a field has the number 0, which protobuf does not have`);
    if (wire === varintWire) {
      yield { field, value: readVarint() };
    } else if (wire === lengthWire) {
      const length = readUint32();
      if (offset + length > bytes.length) throw new Error(`field ${field} is longer than its message`);
      yield { field, value: bytes.subarray(offset, offset + length) };
      offset += length;
    } else if (wire === fourBytes) {
      yield { field, value: view.getFloat32(offset, true) };
      offset += 4;
    } else {
      throw new Error(`field ${field} has the wire type ${wire}, which ONNX files do not use`);
    }
  }
}

export type Field = { field: number; value: bigint | number | Uint8Array };

/** Wire types. */
const varintWire = 0;
const lengthWire = 2;
const fourBytes = 5;
