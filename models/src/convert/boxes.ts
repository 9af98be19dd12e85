import type { Graph } from "../onnx/graph.ts";
import { scaleChannels } from "./fold.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Convolution, Maps } from "./layers/layers.ts";
import type { Weights, WeightTensor } from "./weights.ts";

/**
 * Steps that the detectors share after their last feature map. All encode a box by its centre and its size,
 * relative to an anchor; most take the logarithm of the size. All output [ymin, xmin, ymax, xmax] in the unit
 * square, not clipped to it.
 */

/**
 * Adds the heads of each level, and from their rows the outputs `boxes` and `scores`, float32 [N, anchors].
 * Encoded boxes are offsets and logarithms of sizes; a score is the sigmoid of a logit.
 */
export function writeDetections(
  graph: Graph,
  layers: FloatLayers,
  { levels, anchors, boxHead, scoreHead }: Heads,
): void {
  const encodings: string[] = [];
  const logits: string[] = [];
  for (const [level, maps] of levels.entries()) {
    const [box, score] = [boxHead(level), scoreHead(level)];
    encodings.push(head(graph, layers, box.name, maps, { ...box, width: 4 }));
    logits.push(head(graph, layers, score.name, maps, { ...score, width: 1 }));
  }
  const rows = graph.node("encodings", "Concat", encodings, { axis: 1 });
  decodeBoxes(graph, {
    offsets: slicePair(graph, "encodings/offsets", rows, 0),
    logSizes: slicePair(graph, "encodings/sizes", rows, 2),
    anchors,
  });
  writeScores(graph, logits, anchors.count);
}

/** Declares the output `scores`, float32 [N, anchors], from the logits of each level. */
export function writeScores(graph: Graph, logits: readonly string[], anchors: number): void {
  graph.node("logits", "Concat", logits, { axis: 1 });
  graph.node("scores", "Sigmoid", ["logits"]);
  graph.output("scores", "float32", ["N", anchors]);
}

/** The head of encoded boxes with these weights, whose numbers were stored `1 / scale` times as large. */
export function scaledHead(weights: Weights, name: string, scale: readonly number[]): Head {
  const bias = scaleChannels(weights.get(`${name}/biases`), scale).data;
  return { name, filter: scaleChannels(weights.get(`${name}/weights`), scale), bias };
}

/** Anchors whose encodings are in units of their own size. */
export function sizedAnchors(centres: readonly number[], sizes: readonly number[]): Anchors {
  return {
    count: sizes.length / 2,
    centres: Float32Array.from(centres),
    steps: Float32Array.from(sizes),
    halves: Float32Array.from(sizes, (size) => size / 2),
  };
}

/**
 * A convolution with `width` numbers per anchor, as rows [N, cells * anchors, width]: cell by cell,
 * row-major.
 */
export function head(
  graph: Graph,
  layers: FloatLayers,
  name: string,
  x: Maps,
  layer: Convolution & { width: number },
): string {
  const maps = layers.convolution(name, x, layer);
  const cellsFirst = graph.node(`${name}/cells`, "Transpose", [maps.name], { perm: [0, 2, 3, 1] });
  const shape = graph.ints(`${name}/shape`, layer.width === 1 ? [0, -1] : [0, -1, layer.width]);
  return graph.node(`${name}/rows`, "Reshape", [cellsFirst, shape]);
}

/**
 * Declares the output `boxes`, float32 [N, anchors, 4]. `offsets` and `logSizes` are [N, anchors, 2] in the
 * order y, x:
 *
 *     centre = offset * step + anchor centre        half = exp(logSize) * anchor size / 2
 *
 * `sizes` instead of `logSizes` are used as they are: half = size * anchor size / 2.
 */
export function decodeBoxes(graph: Graph, encodings: BoxEncodings): void {
  const { offsets, anchors } = encodings;
  const { count, centres, steps, halves } = anchors;
  graph.floats("anchors/steps", [1, count, 2], steps);
  graph.floats("anchors/centres", [1, count, 2], centres);
  graph.floats("anchors/halves", [1, count, 2], halves);
  graph.node("boxes/shift", "Mul", [offsets, "anchors/steps"]);
  graph.node("boxes/centre", "Add", ["boxes/shift", "anchors/centres"]);
  const growth =
    "sizes" in encodings ? encodings.sizes : graph.node("boxes/growth", "Exp", [encodings.logSizes]);
  graph.node("boxes/half", "Mul", [growth, "anchors/halves"]);
  graph.node("boxes/min", "Sub", ["boxes/centre", "boxes/half"]);
  graph.node("boxes/max", "Add", ["boxes/centre", "boxes/half"]);
  graph.node("boxes", "Concat", ["boxes/min", "boxes/max"], { axis: 2 });
  graph.output("boxes", "float32", ["N", count, 4]);
}

/** Two of the four numbers of each row: [N, anchors, 4] becomes [N, anchors, 2]. */
export function slicePair(graph: Graph, name: string, rows: string, from: 0 | 2): string {
  const bounds = [
    graph.ints(`${name}/from`, [from]),
    graph.ints(`${name}/to`, [from + 2]),
    graph.ints(`${name}/axis`, [2]),
  ];
  return graph.node(name, "Slice", [rows, ...bounds]);
}

export type Head = { name: string; filter: WeightTensor; bias: Float32Array };

type Heads = {
  levels: readonly Maps[];
  anchors: Anchors;
  boxHead: (level: number) => Head;
  scoreHead: (level: number) => Head;
};

/** Names of values in the graph, and their anchors. */
type BoxEncodings = { offsets: string; anchors: Anchors } & ({ logSizes: string } | { sizes: string });

/**
 * Pairs y, x in the unit square, one for each anchor: its position, the meaning of an offset of 1, and half
 * its size.
 */
export type Anchors = { count: number; centres: Float32Array; steps: Float32Array; halves: Float32Array };
