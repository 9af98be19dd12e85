import { Graph } from "../onnx/graph.ts";
import { Message } from "../onnx/protobuf.ts";
import type { Field } from "../onnx/reader.ts";
import { copy, fieldsOf, graphFields, graphInitializer, graphNode, nameOf, tensorName } from "./adapter.ts";

/**
 * Frees the batch dimension inside a graph that was exported for one image: constant shapes of Reshape and
 * sizes of Resize that begin with 1 begin with the batch of their data instead. Nodes that do not depend on
 * the image stay as they are. The checks run batches to see whether that was enough.
 */
export function withFreeBatch(graph: readonly Field[], input: string): Field[] {
  const constants = intConstants(graph);
  const ofImage = new Set([input]);
  let count = 0;
  return graph.flatMap((field) => {
    if (field.field !== graphNode) return [field];
    const node = fieldsOf(field.value as Uint8Array);
    const [inputs, outputs] = [nodeInput, nodeOutput].map((number) =>
      node.filter((each) => each.field === number).map(({ value }) => textOf(value)),
    ) as [string[], string[]];
    // Nodes come after those that they read.
    if (!inputs.some((name) => ofImage.has(name))) return [field];
    for (const name of outputs) ofImage.add(name);
    const at = shapeInputs[textOf(node.find((each) => each.field === nodeOperator)?.value)];
    const shape = at === undefined ? undefined : constants.get(inputs[at] ?? "");
    if (at === undefined || shape === undefined || shape.length < 2 || shape[0] !== 1) return [field];
    const shapes = new Graph("shapes");
    const free = writeShape(
      shapes,
      `faceline/batch${count++}`,
      shape,
      at === resizeSizes ? inputs[0] : undefined,
    );
    return [
      ...graphFields(shapes.encode({})).filter(isPart),
      { field: graphNode, value: withInput(node, at, free) },
    ];
  });
}

/** Returns the name of a shape whose first number is the batch. 0 in a Reshape is the side of its data. */
function writeShape(
  graph: Graph,
  name: string,
  [, ...sides]: readonly number[],
  data: string | undefined,
): string {
  if (data === undefined) return graph.ints(name, [0, ...sides]);
  graph.input(data, "float32", []);
  const whole = graph.node(`${name}/whole`, "Shape", [data]);
  const batch = graph.node(`${name}/of`, "Gather", [whole, graph.ints(`${name}/first`, [0])], { axis: 0 });
  return graph.node(name, "Concat", [batch, graph.ints(`${name}/sides`, sides)], { axis: 0 });
}

/** The node, with another name as its input at this place. */
function withInput(node: readonly Field[], at: number, name: string): Uint8Array {
  const message = new Message();
  let place = 0;
  for (const field of node) {
    if (field.field === nodeInput && place++ === at) message.text(nodeInput, name);
    else copy(message, field);
  }
  return message.encode();
}

/** Lists of int64 that the graph has, by their names: constants, and nodes that are one. */
function intConstants(graph: readonly Field[]): Map<string, number[]> {
  const constants = new Map<string, number[]>();
  for (const { field, value } of graph) {
    if (!(value instanceof Uint8Array)) continue;
    if (field === graphInitializer) constants.set(nameOf({ field, value }, tensorName), intsOf(value));
    if (field !== graphNode) continue;
    const node = fieldsOf(value);
    if (textOf(node.find((each) => each.field === nodeOperator)?.value) !== "Constant") continue;
    const attribute = node.find((each) => each.field === nodeAttribute)?.value;
    const tensor =
      attribute instanceof Uint8Array
        ? fieldsOf(attribute).find((each) => each.field === attributeTensor)?.value
        : undefined;
    const name = textOf(node.find((each) => each.field === nodeOutput)?.value);
    if (tensor instanceof Uint8Array) constants.set(name, intsOf(tensor));
  }
  return constants;
}

/** The numbers of a short tensor of int64; none for any other. */
function intsOf(tensor: Uint8Array): number[] {
  const fields = fieldsOf(tensor);
  if (fields.find((each) => each.field === tensorType)?.value !== int64) return [];
  const raw = fields.find((each) => each.field === tensorRaw)?.value;
  if (raw instanceof Uint8Array) {
    if (raw.length > 8 * sidesMax) return [];
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    return Array.from({ length: raw.length >> 3 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
  }
  const numbers = fields.filter((each) => each.field === tensorInts);
  return numbers.flatMap(({ value }) => (typeof value === "bigint" ? Number(value) : packedInts(value)));
}

/** Packed varints are the values of a message whose tags are left out. */
function packedInts(value: number | Uint8Array): number[] {
  if (typeof value === "number" || value.length > 10 * sidesMax) return [];
  const numbers: number[] = [];
  let [number, shift] = [0n, 0n];
  for (const byte of value) {
    number |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    numbers.push(Number(BigInt.asIntN(64, number)));
    [number, shift] = [0n, 0n];
  }
  return numbers;
}

const isPart = ({ field }: Field): boolean => field === graphNode || field === graphInitializer;
const textOf = (value: Field["value"] | undefined): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : "";

/** Shapes have a few sides. */
const sidesMax = 8;
/** The input of these operators that holds a shape. */
const resizeSizes = 3;
const shapeInputs: Readonly<Record<string, number>> = { Reshape: 1, Resize: resizeSizes };
const [nodeInput, nodeOutput, nodeOperator, nodeAttribute] = [1, 2, 4, 5];
const [attributeTensor, tensorType, tensorInts, tensorRaw] = [5, 2, 7, 9];
const int64 = 7n;
