import { type Field, readFields } from "./reader.ts";

/** A tensor of float32 that an .onnx file contains. */
type Floats = {
  /** "" if it has none, as in a node's attribute. */
  name: string;
  shape: readonly number[];
  /** Four bytes a number. Not copied: what is written here is written into the file. */
  data: DataView;
};

/** Reads a TensorProto. Undefined if its type is another, or its numbers are not in one run of bytes. */
export function readFloats(tensor: Uint8Array): Floats | undefined {
  const read = readTensor(tensor);
  if (read === undefined || read.type !== 1) return undefined;
  return read.data.byteLength === 4 * sizeOf(read.shape) ? read : undefined;
}

/** The same for numbers of any type: that of TensorProto.DataType. */
export function readTensor(tensor: Uint8Array): (Floats & { type: number }) | undefined {
  const fields = [...readFields(tensor)];
  const valueOf = (number: number) => fields.find(({ field }) => field === number)?.value;
  const [bytes, name] = [valueOf(rawData) ?? valueOf(floatData), valueOf(tensorName)];
  if (!(bytes instanceof Uint8Array)) return undefined;
  return {
    name: name instanceof Uint8Array ? new TextDecoder().decode(name) : "",
    type: Number(valueOf(dataType)),
    shape: fields.filter(({ field }) => field === dims).flatMap(({ value }) => integersOf(value)),
    data: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** Copies the numbers, because a Float32Array over a file would have to start at a multiple of four bytes. */
export function numbersOf({ data }: Floats): Float32Array<ArrayBuffer> {
  return new Float32Array(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice().buffer);
}

export const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, side) => product * side, 1);

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
