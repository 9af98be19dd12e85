import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Contract } from "../src/contract/contract.ts";
import { Graph } from "../src/onnx/graph.ts";

/**
 * A small recogniser as others export them: float32 NCHW in, numbers out, a batch of one. It is a convolution
 * of made-up weights and a matrix. `changes` make it wrong.
 */
export function foreignRecogniser(changes: Partial<Recogniser> = {}): Uint8Array {
  const made = {
    px: 112,
    length: 16,
    output: "fc1",
    nan: false,
    oneAtATime: false,
    constant: false,
    twoOutputs: false,
    slow: false,
    ...changes,
  };
  const { px, length, output } = made;
  const graph = new Graph("foreign");
  graph.input("data", "float32", [1, 3, px, px]);
  // The first channel is dead: training has left its weights near 0.
  const weights = madeUp(8 * 3 * 8 * 8).map((weight, i) => (made.slow && i < 192 ? weight * 1e-30 : weight));
  const filters = graph.floats("filters", [8, 3, 8, 8], weights);
  const side = Math.floor((px - 8) / 16) + 1;
  graph.node("maps", "Conv", ["data", filters], { kernel_shape: [8, 8], strides: [16, 16] });
  graph.node("relu", "Relu", ["maps"]);
  if (made.oneAtATime) graph.node("flat", "Reshape", ["relu", graph.ints("shape", [1, 8 * side * side])]);
  else graph.node("flat", "Flatten", ["relu"], { axis: 1 });
  const scaled = graph.floats("scaled", [1], Float32Array.of(made.constant ? 0 : 1));
  graph.node("scale", "Mul", ["flat", scaled]);
  const matrix = graph.floats("matrix", [8 * side * side, length], madeUp(8 * side * side * length));
  graph.node("product", "MatMul", ["scale", matrix]);
  const added = graph.floats("added", [1], Float32Array.of(made.constant ? 1 : 0));
  graph.node("sum", "Add", ["product", added]);
  const divisor = graph.floats("divisor", [1], Float32Array.of(made.nan ? 0 : 1));
  graph.node("zero", "Mul", ["sum", divisor]);
  if (made.nan) graph.node(output, "Div", ["zero", divisor]);
  else graph.node(output, "Identity", ["zero"]);
  graph.output(output, "float32", [1, length]);
  if (made.twoOutputs) graph.output("sum", "float32", [1, length]);
  return graph.encode({});
}

/** The contract that it keeps. The licence's text is in the file LICENCE.txt beside it. */
export const foreignContract: Contract = {
  name: "Foreign",
  title: "made up for a test",
  input: {
    type: "float32",
    layout: "NCHW",
    px: 112,
    colour_order: "BGR",
    mean: [104, 117, 123],
    scale: 1 / 128,
  },
  output: { name: "fc1", length: 16 },
  chip: "arcface",
  thresholds: { cosine: 0.5 },
  thresholds_from: "Made up.",
  licenses: [{ id: "Apache-2.0", covers: "all of it", stated_by: "this test", use: "any" }],
  licence_file: "LICENCE.txt",
  training_data: "None: it is made up.",
  provenance: [],
  origin: "this test",
};

/** Writes the recogniser, its contract and the licence's text into a folder. Returns the first two paths. */
export async function writeForeign(folder: string): Promise<{ onnx: string; contract: string }> {
  const [onnx, contract] = [join(folder, "a.onnx"), join(folder, "a.json")];
  await writeFile(onnx, foreignRecogniser());
  await writeFile(contract, JSON.stringify(foreignContract));
  await writeFile(join(folder, foreignContract.licence_file), "as you like");
  return { onnx, contract };
}

/** Numbers from -0.5 to 0.5, the same every time. */
function madeUp(count: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24 - 0.5;
  });
}

type Recogniser = { px: number; length: number; output: string } & Record<
  "nan" | "oneAtATime" | "constant" | "twoOutputs" | "slow",
  boolean
>;
