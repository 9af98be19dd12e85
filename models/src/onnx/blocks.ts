import { Message } from "./protobuf.ts";
import { readFields } from "./reader.ts";
import { numbersOf, readFloats, readTensor, sizeOf } from "./tensor.ts";

/**
 * Returns an .onnx file with its weights in plain float32, from one that has them in blocks of eight bits,
 * each with a scale and a zero point: x = (q - zero) * scale. onnxruntime refuses files in which a block is
 * longer than its tensor. The shapes of weights are constants too; other nodes stay as they are, and inputs
 * that none of them reads are left out.
 */
export function withoutBlocks(file: Uint8Array): Uint8Array {
  const model = new Message();
  for (const each of readFields(file)) {
    if (each.field === modelGraph) model.message(modelGraph, graphWithoutBlocks(each.value as Uint8Array));
    else model.field(each);
  }
  return model.encode();
}

function graphWithoutBlocks(bytes: Uint8Array): Message {
  const parts = [...readFields(bytes)];
  const constants = new Map<string, Uint8Array>();
  for (const { field, value } of parts) {
    if (field === graphInitializer) constants.set(readTensor(value as Uint8Array)!.name, value as Uint8Array);
  }
  const graph = new Message();
  const used = new Set<string>();
  for (const part of parts) {
    if (part.field === graphInitializer) continue;
    if (part.field === graphNode) {
      const { inputs, output, operator, attributes } = nodeOf(part.value as Uint8Array);
      const tensors = inputs.map((name) => constants.get(name)!);
      const compute = operations[operator];
      if (compute !== undefined && tensors.every(Boolean)) {
        const { shape, data } = compute(tensors, attributes);
        const tensor = new Message().packed(1, shape).int(2, 1).text(8, output);
        constants.set(output, tensor.bytes(9, new Uint8Array(data.buffer)).encode());
        continue;
      }
      for (const name of inputs) used.add(name);
    }
    // Nodes come first in a file.
    if (part.field === graphInput && !used.has(nameOf(part.value as Uint8Array))) continue;
    graph.field(part);
  }
  for (const [name, tensor] of constants) if (used.has(name)) graph.bytes(graphInitializer, tensor);
  return graph;
}

const operations: Readonly<Record<string, Operation>> = {
  DequantizeLinear([quantised, scales, zeros], attributes) {
    const { shape, data } = readTensor(quantised!)!;
    const [factors, offsets] = [readTensor(scales!)!.data, readTensor(zeros!)!.data];
    const [axis, block] = [attributes.get("axis")!, attributes.get("block_size")!];
    const [inner, blocks] = [sizeOf(shape.slice(axis + 1)), Math.ceil(shape[axis]! / block)];
    const numbers = new Float32Array(data.byteLength);
    for (let i = 0; i < numbers.length; i++) {
      const row = Math.floor(i / inner);
      const [outer, place] = [Math.floor(row / shape[axis]!), row % shape[axis]!];
      const at = (outer * blocks + Math.floor(place / block)) * inner + (i % inner);
      numbers[i] = (data.getInt8(i) - offsets.getInt8(at)) * factors.getFloat32(4 * at, true);
    }
    return { shape, data: numbers };
  },
  Reshape([tensor, sides]) {
    const { data } = readTensor(sides!)!;
    const shape = Array.from({ length: data.byteLength / 8 }, (_, i) =>
      Number(data.getBigInt64(8 * i, true)),
    );
    return { shape, data: numbersOf(readFloats(tensor!)!) };
  },
};

function nodeOf(bytes: Uint8Array) {
  const fields = [...readFields(bytes)];
  const texts = (number: number) =>
    fields.filter(({ field }) => field === number).map(({ value }) => textOf(value));
  const attributes = fields
    .filter(({ field }) => field === 5)
    .map(({ value }) => {
      const parts = new Map([...readFields(value as Uint8Array)].map((part) => [part.field, part.value]));
      return [textOf(parts.get(1)), Number(parts.get(3))] as const;
    });
  return { inputs: texts(1), output: texts(2)[0]!, operator: texts(4)[0]!, attributes: new Map(attributes) };
}

const nameOf = (value: Uint8Array): string => textOf([...readFields(value)][0]?.value);
const textOf = (value: unknown): string => new TextDecoder().decode(value as Uint8Array);

type Operation = (
  tensors: readonly Uint8Array[],
  attributes: ReadonlyMap<string, number>,
) => { shape: readonly number[]; data: Float32Array<ArrayBuffer> };

const [modelGraph, graphNode, graphInitializer, graphInput] = [7, 1, 5, 11];
