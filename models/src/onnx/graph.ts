import assert from "node:assert/strict";
import { Message } from "./protobuf.ts";

/**
 * An ONNX graph under construction. Values have names, and a node has the name of its one
 * output, so that a profile of the session reads like the network.
 *
 * Field numbers are those of onnx.proto3 (onnx/onnx on GitHub), IR version 8, opset 17.
 */
export class Graph {
  readonly #name: string;
  readonly #nodes: Message[] = [];
  readonly #constants: Message[] = [];
  readonly #inputs: Message[] = [];
  readonly #outputs: Message[] = [];
  readonly #names = new Set<string>();
  readonly #domains = new Set<string>();

  constructor(name: string) {
    this.#name = name;
  }

  input(name: string, type: ElementType, shape: Shape): string {
    this.#claim(name);
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  /** Declares a value that a node has already made. */
  output(name: string, type: ElementType, shape: Shape): void {
    assert(this.#names.has(name), `the output ${name} is made by no node`);
    this.#outputs.push(valueInfo(name, type, shape));
  }

  floats(name: string, shape: readonly number[], data: Float32Array): string {
    const size = shape.reduce((product, side) => product * side, 1);
    assert.equal(data.length, size, `${name}: ${data.length} numbers for the shape ${shape.join("x")}`);
    return this.#constant(name, "float32", shape, data);
  }

  ints(name: string, values: readonly number[]): string {
    return this.#constant(name, "int64", [values.length], BigInt64Array.from(values, BigInt));
  }

  /** Numbers of one byte or four, as quantised operators take them. No shape: a single number. */
  integers(name: string, shape: readonly number[], data: Int8Array | Uint8Array | Int32Array): string {
    const type = data instanceof Int32Array ? "int32" : data instanceof Int8Array ? "int8" : "uint8";
    return this.#constant(name, type, shape, data);
  }

  /** Returns the name of the node's output, which is the node's own. */
  node(name: string, operator: string, inputs: readonly string[], attributes: Attributes = {}): string {
    for (const input of inputs) assert(this.#names.has(input), `${name} reads ${input}, which no node makes`);
    this.#claim(name);

    const node = new Message();
    for (const input of inputs) node.text(1, input);
    node.text(2, name).text(3, name).text(4, operator);
    for (const [key, value] of Object.entries(attributes)) node.message(5, attribute(key, value));
    if (microsoftOperators.has(operator)) {
      node.text(nodeDomainField, microsoft);
      this.#domains.add(microsoft);
    }
    this.#nodes.push(node);
    return name;
  }

  /** The bytes of the .onnx file: the same for the same calls, so that its SHA-256 can be promised. */
  encode(metadata: Readonly<Record<string, string>>): Uint8Array {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, this.#name);
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);

    const model = new Message().int(1, irVersion).text(2, "faceline").message(7, graph);
    model.message(8, new Message().text(1, "").int(2, opset));
    for (const domain of this.#domains) model.message(8, new Message().text(1, domain).int(2, 1));
    return Buffer.concat([model.encode(), encodeMetadata(metadata)]);
  }

  #constant(name: string, type: ElementType, shape: Shape, data: NodeJS.TypedArray): string {
    this.#claim(name);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const dims = shape.map(Number);
    this.#constants.push(
      new Message().packed(1, dims).int(2, elementTypes[type]).text(8, name).bytes(9, bytes),
    );
    return name;
  }

  #claim(name: string): void {
    assert(!this.#names.has(name), `two values are named ${name}`);
    this.#names.add(name);
  }
}

/** The bytes that give a model metadata: they go at the end of its file. */
export function encodeMetadata(metadata: Readonly<Record<string, string>>): Uint8Array {
  const model = new Message();
  for (const [key, value] of Object.entries(metadata)) {
    model.message(metadataField, new Message().text(metadataKeyField, key).text(metadataValueField, value));
  }
  return model.encode();
}

/** A string is a side that the caller chooses at run time, and its name in error messages. */
type Shape = readonly (number | string)[];
export type ElementType = keyof typeof elementTypes;
/** To ONNX, a plain number is an integer; a fraction must be marked as one, even if it is whole. */
type Attributes = Readonly<Record<string, number | readonly number[] | { float: number }>>;

const metadataField = 14;
const metadataKeyField = 1;
const metadataValueField = 2;

const irVersion = 8;
const opset = 17;

const nodeDomainField = 7;
/** The domain of onnxruntime's own operators, and those used here: ONNX has no quantised versions of them. */
const microsoft = "com.microsoft";
const microsoftOperators = new Set(["QLinearAdd", "QLinearAveragePool"]);

/** TensorProto.DataType */
const elementTypes = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7 } as const;

function attribute(name: string, value: Attributes[string]): Message {
  const message = new Message().text(1, name);
  if (typeof value === "number") return message.int(3, value).int(20, 2);
  if ("float" in value) return message.float(2, value.float).int(20, 1);
  return message.packed(8, value).int(20, 7);
}

function valueInfo(name: string, type: ElementType, shape: Shape): Message {
  const sides = new Message();
  for (const side of shape) {
    const dimension = new Message();
    sides.message(1, typeof side === "number" ? dimension.int(1, side) : dimension.text(2, side));
  }
  const tensor = new Message().int(1, elementTypes[type]).message(2, sides);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}
