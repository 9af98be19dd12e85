import { DetectorContract, rowsOf } from "../src/contract/detector-contract.ts";
import { Graph } from "../src/onnx/graph.ts";

/**
 * A small detector as others export them, with the shapes of its contract: float32 NCHW in, encoded boxes and
 * scores out, a batch of one in constant shapes. Its numbers follow the image a little, and one prior of
 * the last stride shows a face in the middle half of it. `changes` make it wrong.
 */
export function foreignDetector(contract: DetectorContract, changes: Partial<Faults> = {}): Uint8Array {
  const { input, outputs, decoder } = contract;
  const { px } = input;
  const graph = new Graph("foreign");
  graph.input("input", "float32", [1, 3, px, px]);
  const rows = rowsOf(contract);
  const last = decoder.strides.length - 1;
  const none = graph.floats("none", [0], new Float32Array());
  const pooled = decoder.strides.map((stride, i) => {
    if (changes.oneAtATime && i === last) {
      graph.node("first", "Gather", ["input", graph.ints("zero", [0])], { axis: 0 });
    }
    const from = changes.oneAtATime && i === last ? "first" : "input";
    const side = i === 0 ? 2 * stride : stride;
    const maps = graph.node(`maps${i}`, "AveragePool", [from], {
      kernel_shape: [side, side],
      strides: [side, side],
    });
    if (i > 0) return maps;
    // As PyTorch exports an interpolation to a size: the batch is in it.
    const sizes = graph.ints("sizes", [1, 3, px / stride, px / stride]);
    return graph.node("finer", "Resize", [maps, none, none, sizes]);
  });
  const spot = Math.floor(
    rows[last]! / 2 + (px / decoder.strides[last]! / 2) * decoder.prior_px[last]!.length,
  );
  for (const [key, names = []] of Object.entries(outputs)) {
    if (names.length === 0) continue;
    const width = key === "boxes" ? 4 : key === "classes" ? decoder.classes : 1;
    const encoded = rows.map((count, i) => {
      const name = `${key}${i}`;
      const priors = decoder.prior_px[i]!.length;
      const filter = graph.floats(
        `${name}/w`,
        [width * priors, 3, 1, 1],
        madeUp(3 * width * priors, 1 / 2_000),
      );
      const maps = graph.node(`${name}/maps`, "Conv", [pooled[i]!, filter], { kernel_shape: [1, 1] });
      const cells = graph.node(`${name}/cells`, "Transpose", [maps], { perm: [0, 2, 3, 1] });
      const flat = graph.node(`${name}/rows`, "Reshape", [
        cells,
        graph.ints(`${name}/shape`, [1, -1, width]),
      ]);
      const added = Float32Array.from({ length: count * width }, (_, at) =>
        addedTo(contract, key, at % width, i === last && Math.floor(at / width) === spot),
      );
      const sum = graph.node(`${name}/sum`, "Add", [
        flat,
        graph.floats(`${name}/added`, [1, count, width], added),
      ]);
      if (key === "boxes" || decoder.activation !== "none") return sum;
      const operator = key === "classes" && width > 1 ? "Softmax" : "Sigmoid";
      return graph.node(`${name}/ready`, operator, [sum], operator === "Softmax" ? { axis: 2 } : {});
    });
    const whole = names.length === 1 ? [graph.node(`${key}/all`, "Concat", encoded, { axis: 1 })] : encoded;
    for (const [i, name] of names.entries()) {
      const factor = changes.nan && key === "boxes" ? NaN : changes.blind && key !== "boxes" ? 1e-3 : 1;
      graph.node(name, "Mul", [whole[i]!, graph.floats(`${name}/factor`, [1], Float32Array.of(factor))]);
      const count = names.length === 1 ? rows.reduce((sum, each) => sum + each, 0) : rows[i]!;
      graph.output(name, "float32", [1, count, width]);
    }
  }
  return graph.encode({});
}

/** Values added to a column of a row: a box of half the image around its middle, and a clear score. */
function addedTo(
  { input: { px }, decoder }: DetectorContract,
  key: string,
  column: number,
  isFace: boolean,
): number {
  if (key === "classes" && decoder.classes > 1 && column !== decoder.face_class) return 0;
  if (key !== "boxes") return isFace ? 4 : -4;
  const { variances, prior_at, strides, prior_px } = decoder;
  const side = prior_px.at(-1)![0]!;
  if (column >= 2) return isFace ? Math.log(px / 2 / side) / variances[1] : 0;
  return isFace && prior_at === "centre" ? -strides.at(-1)! / 2 / (side * variances[0]) : 0;
}

const described = {
  role: "detector",
  title: "made up for a test",
  selection: { score_min: 0.5, iou_max: 0.4 },
  licenses: [{ id: "MIT", covers: "all of it", stated_by: "this test", use: "any" }],
  licence_file: "LICENCE.txt",
  training_data: "None: it is made up.",
  origin: "this test",
} as const;

/** A tensor for each stride, class and object apart, priors at the corners of cells: as YuNet. */
export const strideContract = DetectorContract.parse({
  ...described,
  name: "strides",
  input: { layout: "NCHW", px: 128, colour_order: "BGR", mean: 0, scale: 1 },
  outputs: { boxes: ["b8", "b16", "b32"], classes: ["c8", "c16", "c32"], objects: ["o8", "o16", "o32"] },
  decoder: { strides: [8, 16, 32], prior_px: [[8], [16], [32]], prior_at: "corner" },
});

/** One tensor for all strides, two priors in the middle of each cell, two classes: as RetinaFace. */
export const priorContract = DetectorContract.parse({
  ...described,
  name: "priors",
  input: { layout: "NCHW", px: 128, colour_order: "BGR", mean: [104, 117, 123], scale: 1 },
  outputs: { boxes: ["loc"], classes: ["conf"] },
  decoder: {
    strides: [8, 16, 32],
    prior_px: [
      [16, 32],
      [48, 64],
      [96, 112],
    ],
    prior_at: "centre",
    variances: [0.1, 0.2],
    classes: 2,
    face_class: 1,
  },
});

/** Numbers from -0.5 to 0.5 times a factor, the same every time. */
function madeUp(count: number, factor: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return factor * ((state >>> 8) / 2 ** 24 - 0.5);
  });
}

type Faults = { nan: boolean; blind: boolean; oneAtATime: boolean };
