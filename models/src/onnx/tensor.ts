import { type Field, readFields } from "./reader.ts";

/** A tensor of float32 that an .onnx file contains. */
export type Floats = {
  /** "" where it has none, as in a node's attribute. */
  name: string;
  shape: readonly number[];
  /** Four bytes a number. Not copied: what is written here is written into the file. */
  data: DataView;
};

/** Reads a TensorProto. Undefined where its type is another, or its numbers are not in one run of bytes. */
export function readFloats(tensor: Uint8Array): Floats | undefined {
  const fields = [...readFields(tensor)];
  const valueOf = (number: number) => fields.find(({ field }) => field === number)?.value;
  const [bytes, name] = [valueOf(rawData) ?? valueOf(floatData), valueOf(tensorName)];
  if (valueOf(dataType) !== float32 || !(bytes instanceof Uint8Array)) return undefined;
  const shape = fields.filter(({ field }) => field === dims).flatMap(({ value }) => integersOf(value));
  if (bytes.length !== 4 * shape.reduce((product, side) => product * side, 1)) return undefined;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { name: name instanceof Uint8Array ? new TextDecoder().decode(name) : "", shape, data };
}

/** Repeated integers come one a field, or packed into one. */
function integersOf(value: Field["value"]): number[] {
  if (!(value instanceof Uint8Array)) return [Number(value)];
  const numbers: number[] = [];
  let [number, factor] = [0, 1];
  for (const byte of value) {
    number += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) {
      numbers.push(number);
      [number, factor] = [0, 1];
    }
  }
  return numbers;
}

/** Fields of TensorProto. */
const [dims, dataType, floatData, tensorName, rawData] = [1, 2, 4, 8, 9];
const float32 = 1n;
