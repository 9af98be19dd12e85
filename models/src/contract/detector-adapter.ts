import { Graph } from "../onnx/graph.ts";
import type { Field } from "../onnx/reader.ts";
import { assemble, graphOutput, inputOf, nameOf, openForeign, typeOf, writeInput } from "./adapter.ts";
import { type DetectorContract, rowsOf } from "./detector-contract.ts";
import { withFreeBatch } from "./free-batch.ts";

/**
 * The adapter of foreign detectors. It writes Faceline's input before the graph of an .onnx file, and after
 * it the decoding of its boxes, which others do in their own code:
 *
 *     uint8 [N, px, px, 3] RGB ─► its graph ─► boxes [N, A, 4] in the unit square, scores [N, A] in 0..1
 *
 * So the engine runs it as any other detector, with the same non-max suppression. Throws one sentence if the
 * file does not fit the contract.
 */
export function adaptDetector(onnx: Uint8Array, contract: DecodedDetector): Uint8Array {
  const { model, parts } = openForeign(onnx);
  const input = inputOf(parts, contract);
  requireOutputs(parts, contract);
  const before = new Graph("before");
  writeInput(before, input, contract);
  const after = new Graph("after");
  const { boxes, classes, objects = [] } = contract.outputs;
  for (const name of new Set([...boxes, ...classes, ...objects])) after.input(name, "float32", ["N"]);
  writeBoxes(after, contract);
  writeScores(after, contract);
  return assemble({ model, parts: withFreeBatch(parts, input), before, after, input, name: contract.name });
}

/** Part of a contract that describes the file's input and output. */
type DecodedDetector = Pick<DetectorContract, "name" | "input" | "outputs" | "decoder">;

/** The names of the tensors of an adapted detector. */
export const adaptedBoxes = "faceline/boxes";
export const adaptedScores = "faceline/scores";

/** Rows of [top, left, bottom, right]: the formula is that of DetectorContract's `variances`. */
function writeBoxes(graph: Graph, contract: DecodedDetector): void {
  const { count, centres, steps, halves } = priorsOf(contract);
  const rows = allRows(graph, "faceline/encodings", contract.outputs.boxes);
  // x, y, width, height become y, x and height, width.
  const pair = (name: string, columns: readonly number[]): string =>
    graph.node(name, "Gather", [rows, graph.ints(`${name}/columns`, columns)], { axis: 2 });
  const constant = (name: string, values: Float32Array): string =>
    graph.floats(`faceline/priors/${name}`, [1, count, 2], values);
  const variance = graph.floats("faceline/variance", [1], Float32Array.of(contract.decoder.variances[1]));
  const shift = graph.node("faceline/shift", "Mul", [
    pair("faceline/offsets", [1, 0]),
    constant("steps", steps),
  ]);
  const centre = graph.node("faceline/centre", "Add", [shift, constant("centres", centres)]);
  const logs = graph.node("faceline/logs", "Mul", [pair("faceline/sizes", [3, 2]), variance]);
  const growth = graph.node("faceline/growth", "Exp", [logs]);
  const half = graph.node("faceline/half", "Mul", [growth, constant("halves", halves)]);
  const corners = [
    graph.node("faceline/min", "Sub", [centre, half]),
    graph.node("faceline/max", "Add", [centre, half]),
  ];
  graph.node(adaptedBoxes, "Concat", corners, { axis: 2 });
  graph.output(adaptedBoxes, "float32", ["N", count, 4]);
}

function writeScores(graph: Graph, { outputs, decoder, input }: DecodedDetector): void {
  const { activation, face_class } = decoder;
  const probabilities = (key: "classes" | "objects", names: readonly string[]): string => {
    const name = `faceline/${key}`;
    let rows = allRows(graph, name, names);
    if (activation === "sigmoid") rows = graph.node(`${name}/sigmoid`, "Sigmoid", [rows]);
    if (activation === "softmax" && key === "classes") {
      rows = graph.node(`${name}/softmax`, "Softmax", [rows], { axis: 2 });
    }
    const column = graph.ints(`${name}/column`, [key === "classes" ? face_class : 0]);
    return graph.node(`${name}/face`, "Gather", [rows, column], { axis: 2 });
  };
  let rows = probabilities("classes", outputs.classes);
  if (outputs.objects !== undefined) {
    const product = graph.node("faceline/product", "Mul", [rows, probabilities("objects", outputs.objects)]);
    rows = graph.node("faceline/root", "Sqrt", [product]);
  }
  graph.node(adaptedScores, "Reshape", [rows, graph.ints("faceline/flat", [0, -1])]);
  const count = rowsOf({ input, decoder }).reduce((sum, each) => sum + each, 0);
  graph.output(adaptedScores, "float32", ["N", count]);
}

/** The rows of all strides, as one tensor. */
function allRows(graph: Graph, name: string, names: readonly string[]): string {
  return names.length === 1 ? names[0]! : graph.node(name, "Concat", names, { axis: 1 });
}

/**
 * Pairs y, x in the unit square for each prior: where it is, what an offset of 1 means, and half its side.
 */
function priorsOf({ input: { px }, decoder }: DecodedDetector) {
  const { strides, prior_px, prior_at, variances } = decoder;
  const [centres, sides]: [number[], number[]] = [[], []];
  for (const [i, stride] of strides.entries()) {
    const cells = px / stride;
    const within = prior_at === "centre" ? 0.5 : 0;
    for (let cell = 0; cell < cells * cells; cell++) {
      const centre = [(Math.floor(cell / cells) + within) / cells, ((cell % cells) + within) / cells];
      for (const side of prior_px[i]!) {
        centres.push(...centre);
        sides.push(side / px, side / px);
      }
    }
  }
  return {
    count: sides.length / 2,
    centres: Float32Array.from(centres),
    steps: Float32Array.from(sides, (side) => side * variances[0]),
    halves: Float32Array.from(sides, (side) => side / 2),
  };
}

/** Each named output must be float32 rows of the declared shape, as far as the file declares one. */
function requireOutputs(graph: readonly Field[], contract: DecodedDetector): void {
  const outputs = graph.filter(({ field }) => field === graphOutput);
  const names = outputs.map((each) => nameOf(each)).join(", ");
  const rows = rowsOf(contract);
  const widths = { boxes: 4, classes: contract.decoder.classes, objects: 1 };
  for (const [key, width] of Object.entries(widths) as [keyof typeof widths, number][]) {
    const chosen = contract.outputs[key] ?? [];
    for (const [i, name] of chosen.entries()) {
      const output = outputs.find((each) => nameOf(each) === name);
      if (output === undefined) throw new Error(`It has no output ${name}; there is ${names}.`);
      const { type, shape } = typeOf(output);
      if (type !== 1) throw new Error(`Its output ${name} is not float32: element type ${type}.`);
      const expected = [chosen.length === 1 ? rows.reduce((sum, each) => sum + each, 0) : rows[i]!, width];
      // A file need not declare the shapes of its outputs.
      if (shape.length === 0) continue;
      const fits = shape.length === 3 && expected.every((side, k) => [side, "?"].includes(shape[k + 1]!));
      if (fits) continue;
      throw new Error(
        `Its output ${name} is [${shape.join(", ")}]; the contract says [N, ${expected.join(", ")}].`,
      );
    }
  }
}
