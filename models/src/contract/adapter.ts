import { Graph } from "../onnx/graph.ts";
import { requireKnownCost } from "../onnx/known-cost.ts";
import { Message } from "../onnx/protobuf.ts";
import { type Field, readFields } from "../onnx/reader.ts";
import { notOnnx, requireSelfContained } from "../onnx/self-contained.ts";
import { type Contract, channels } from "./contract.ts";

/**
 * The adapter of foreign recognisers. It writes Faceline's input and output around the graph of an .onnx
 * file, and leaves the graph as it is:
 *
 *     uint8 [N, px, px, 3] RGB ─► float, channels, mean, scale, layout ─► its graph ─► flat, length 1
 *
 * So the engine runs it as any other model. The batch dimension becomes free, whatever the file declares; the
 * checks run batches to see whether that holds. Throws one sentence if the file does not fit the contract, or
 * is not self-contained: then each field that is read here occurs once.
 *
 * Field numbers are those of onnx.proto3, as in graph.ts.
 */
export function adaptOnnx(onnx: Uint8Array, contract: Contract): Uint8Array {
  const { model, parts } = openForeign(onnx);
  const input = inputOf(parts, contract);
  const output = outputOf(parts, contract);

  const before = new Graph("before");
  writeInput(before, input, contract);
  const after = new Graph("after");
  after.input(output, "float32", ["N", contract.output.length]);
  writeOutput(after, output, contract);
  return assemble({ model, parts, before, after, input, name: contract.name });
}

/** The fields of a foreign file, and those of its graph. Throws one sentence if it cannot be used. */
export function openForeign(onnx: Uint8Array): { model: Field[]; parts: Field[] } {
  requireSelfContained(onnx);
  requireKnownCost(onnx);
  const model = fieldsOf(onnx);
  const graph = model.find(({ field }) => field === modelGraph)?.value;
  if (!(graph instanceof Uint8Array)) throw new Error(notOnnx);
  requireOperators(model);
  return { model, parts: fieldsOf(graph) };
}

/** The foreign file with nodes before and after those of its graph. `input` is the foreign graph's. */
export function assemble({ model, parts, before, after, input, name }: Assembly): Uint8Array {
  const [first, last] = [before, after].map((each) => graphFields(each.encode({})));

  const adapted = new Message();
  const append = (fields: readonly Field[], ...numbers: number[]): void => {
    for (const each of fields) if (numbers.includes(each.field)) copy(adapted, each);
  };
  append(first!, graphNode);
  append(parts, graphNode);
  append(last!, graphNode);
  adapted.text(graphName, name);
  for (const fields of [first!, parts, last!]) append(fields, graphInitializer, graphSparseInitializer);
  append(first!, graphInput);
  // Old files list their constants as inputs too.
  const others = parts.filter((each) => each.field === graphInput && nameOf(each) !== input);
  append(others, graphInput);
  append(last!, graphOutput);
  append(parts, graphQuantization);

  const written = new Message();
  for (const each of model) {
    if (each.field === modelGraph) written.message(modelGraph, adapted);
    else copy(written, each);
  }
  return written.encode();
}

/** The names of the tensors of an adapted file. */
export const adaptedInput = "faceline/image";
export const adaptedOutput = "faceline/embedding";

/** Numbers from 0 to 255 to what the network wants. The last value has the name of its own input. */
export function writeInput(graph: Graph, name: string, { input }: Pick<Contract, "input">): void {
  const { type, layout, px, colour_order } = input;
  let value = graph.input(adaptedInput, "uint8", ["N", px, px, 3]);
  const steps: ((out: string) => string)[] = [];
  // Bytes are moved before they become floats, and channels as whole planes where there are planes.
  if (layout === "NCHW") steps.push((out) => graph.node(out, "Transpose", [value], { perm: [0, 3, 1, 2] }));
  if (colour_order === "BGR") {
    const order = graph.ints("faceline/bgr", [2, 1, 0]);
    const axis = layout === "NCHW" ? 1 : 3;
    steps.push((out) => graph.node(out, "Gather", [value, order], { axis }));
  }
  if (type === "float32") {
    steps.push((out) => graph.node(out, "Cast", [value], { to: 1 }));
    for (const { key, operator, neutral } of [
      { key: "mean", operator: "Sub", neutral: 0 },
      { key: "scale", operator: "Mul", neutral: 1 },
    ] as const) {
      const numbers = channels(input[key]);
      if (numbers.every((number) => number === neutral)) continue;
      const shape = layout === "NCHW" ? [3, 1, 1] : [3];
      const constant = graph.floats(`faceline/${key}`, shape, Float32Array.from(numbers));
      steps.push((out) => graph.node(out, operator, [value, constant]));
    }
  }
  if (steps.length === 0) steps.push((out) => graph.node(out, "Identity", [value]));
  for (const [i, step] of steps.entries()) value = step(i === steps.length - 1 ? name : `faceline/step${i}`);
}

/** Adds the output: one row of numbers a face, of length 1, as raw lengths follow the image's quality. */
function writeOutput(graph: Graph, name: string, { output }: Contract): void {
  const flat = graph.node("faceline/flat", "Flatten", [name], { axis: 1 });
  graph.node(adaptedOutput, "LpNormalization", [flat], { axis: 1, p: 2 });
  graph.output(adaptedOutput, "float32", ["N", output.length]);
}

/** Returns the name of the network's input. */
export function inputOf(graph: readonly Field[], { input }: Pick<Contract, "input">): string {
  const constants = new Set(
    graph.filter(({ field }) => field === graphInitializer).map((each) => nameOf(each, tensorName)),
  );
  const inputs = graph.filter((each) => each.field === graphInput && !constants.has(nameOf(each)));
  const names = inputs.map((each) => nameOf(each)).join(", ");
  if (inputs.length !== 1) throw new Error(`It has ${inputs.length} inputs (${names}), and not one image.`);
  const [only] = inputs;
  if (input.name !== undefined && names !== input.name) {
    throw new Error(`Its input is ${names}; the contract says ${input.name}.`);
  }
  const { type, shape } = typeOf(only!);
  const expectedType = input.type === "float32" ? 1 : 2;
  if (type !== expectedType) {
    throw new Error(`Its input does not take ${input.type}, which the contract says: element type ${type}.`);
  }
  const { px } = input;
  const expected = input.layout === "NCHW" ? [3, px, px] : [px, px, 3];
  const fits = shape.length === 4 && expected.every((side, i) => [side, "?"].includes(shape[i + 1]!));
  if (!fits) {
    throw new Error(
      `Its input is [${shape.join(", ")}]; the contract says ${input.layout} of ${px} px: [N, ${expected.join(", ")}].`,
    );
  }
  return names;
}

/** Returns the name of the network's output. */
function outputOf(graph: readonly Field[], { output }: Contract): string {
  const outputs = graph.filter(({ field }) => field === graphOutput);
  const names = outputs.map((each) => nameOf(each)).join(", ");
  if (output.name === undefined && outputs.length !== 1) {
    throw new Error(`It has ${outputs.length} outputs (${names}): the contract must name one.`);
  }
  const name = output.name ?? names;
  const chosen = outputs.find((each) => nameOf(each) === name);
  if (chosen === undefined) throw new Error(`It has no output ${name}; there is ${names}.`);
  const { type, shape } = typeOf(chosen);
  if (type !== 1) throw new Error(`Its output ${name} is not float32: element type ${type}.`);
  const lengths = shape.slice(1).filter((side) => side !== 1);
  if (lengths.length > 1 || (lengths.length === 1 && ![output.length, "?"].includes(lengths[0]!))) {
    throw new Error(
      `Its output ${name} is [${shape.join(", ")}]; the contract says ${output.length} numbers a face.`,
    );
  }
  return name;
}

/** Broadcasting of Sub and Mul, which the adapter uses, came with opset 7. */
function requireOperators(model: readonly Field[]): void {
  const sets = model
    .filter(({ field }) => field === modelOpset)
    .map(({ value }) => fieldsOf(value as Uint8Array));
  const own = sets.find((set) =>
    set.every(({ field, value }) => field !== 1 || (value as Uint8Array).length === 0),
  );
  const version = Number(own?.find(({ field }) => field === 2)?.value ?? 0);
  if (version >= 7) return;
  throw new Error(`It is of opset ${version}; 7 is the oldest that can be used: export it again.`);
}

/** Element type, and sides: numbers, or "?" if the caller chooses. */
export function typeOf({ value }: Field): { type: number; shape: (number | string)[] } {
  const path = [2, 1];
  let fields = fieldsOf(value as Uint8Array);
  for (const step of path) {
    const inner = fields.find(({ field }) => field === step)?.value;
    fields = inner instanceof Uint8Array ? fieldsOf(inner) : [];
  }
  const type = Number(fields.find(({ field }) => field === 1)?.value ?? 0);
  const shape = fields.find(({ field }) => field === 2)?.value;
  const sides = shape instanceof Uint8Array ? fieldsOf(shape) : [];
  return {
    type,
    shape: sides.map((side) => {
      const number = fieldsOf(side.value as Uint8Array).find(({ field }) => field === 1)?.value;
      return typeof number === "bigint" && number > 0n ? Number(number) : "?";
    }),
  };
}

export function nameOf({ value }: Field, field = 1): string {
  const name = fieldsOf(value as Uint8Array).find((each) => each.field === field)?.value;
  return name instanceof Uint8Array ? new TextDecoder().decode(name) : "";
}

export function graphFields(onnx: Uint8Array): Field[] {
  return fieldsOf(fieldsOf(onnx).find(({ field }) => field === modelGraph)!.value as Uint8Array);
}

export function fieldsOf(bytes: Uint8Array): Field[] {
  try {
    return [...readFields(bytes)];
  } catch (cause) {
    throw new Error(notOnnx, { cause });
  }
}

export function copy(message: Message, { field, value }: Field): void {
  if (typeof value === "bigint") message.int(field, value);
  else if (typeof value === "number") message.float(field, value);
  else message.bytes(field, value);
}

type Assembly = {
  model: readonly Field[];
  parts: readonly Field[];
  before: Graph;
  after: Graph;
  input: string;
  name: string;
};

const [modelGraph, modelOpset, graphName] = [7, 8, 2];
export const [graphNode, graphInitializer, graphInput, graphOutput] = [1, 5, 11, 12];
const [graphQuantization, graphSparseInitializer] = [14, 15];
export const tensorName = 8;
