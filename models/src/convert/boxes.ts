import type { Graph } from "../onnx/graph.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Convolution, Maps } from "./layers/layers.ts";

/**
 * Steps that the detectors share after their last feature map. All encode a box by its centre and its size,
 * relative to an anchor; most take the logarithm of the size. All output [ymin, xmin, ymax, xmax] in the unit
 * square, not clipped to it.
 */

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

/** Names of values in the graph, and their anchors. */
type BoxEncodings = { offsets: string; anchors: Anchors } & ({ logSizes: string } | { sizes: string });

/**
 * Pairs y, x in the unit square, one for each anchor: where it is, what an offset of 1 means, and half its
 * size.
 */
export type Anchors = { count: number; centres: Float32Array; steps: Float32Array; halves: Float32Array };
