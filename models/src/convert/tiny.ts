import type { Graph } from "../onnx/graph.ts";
import { type Anchors, decodeBoxes, head, slicePair } from "./boxes.ts";
import { chooseChannels } from "./fold.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Maps } from "./layers/layers.ts";
import type { Weights } from "./weights.ts";

/**
 * The tiny face detector: a small YOLO v2 with separable convolutions.
 *
 *     image uint8 [N, 416, 416, 3]  ─►  boxes [N, 845, 4], scores [N, 845] in 0..1
 *
 * 13 x 13 cells with five anchors each; cells row by row, anchors within a cell. Layers and constants are
 * face-api's (src/tinyFaceDetector and src/tinyYolov2 of @vladmandic/face-api).
 */
export function writeTiny(graph: Graph, layers: FloatLayers, weights: Weights, px: number): void {
  let x = layers.image(px, { mean: [117.001, 114.697, 97.404], factor: 1 / 255 });

  // The one layer without padding: 416 becomes 414, and the halvings end at 13 cells all the same.
  x = full(layers, weights, "conv0", x);
  x = layers.maxPool("pool0", x, { kernel: 2, stride: 2, padding: "same" });
  for (let layer = 1; layer <= 5; layer++) {
    x = separable(layers, weights, `conv${layer}`, x);
    x = layers.maxPool(`pool${layer}`, x, { kernel: 2, stride: layer === 5 ? 1 : 2, padding: "same" });
  }

  const rows = rowsOf(graph, layers, weights, "boxes/encoded", x, boxChannels);
  graph.node("boxes/offsets", "Sigmoid", [slicePair(graph, "boxes/shifts", rows, 0)]);
  decodeBoxes(graph, {
    offsets: "boxes/offsets",
    logSizes: slicePair(graph, "boxes/sizes", rows, 2),
    anchors: anchorsOf(x.px),
  });

  const logits = rowsOf(graph, layers, weights, "logits", x, [objectChannel]);
  graph.node("scores", "Sigmoid", [logits]);
  graph.output("scores", "float32", ["N", x.px * x.px * anchorSizes.length]);
}

/** face-api's 0.1 in float32. */
const leak = 0.10000000149011612;
/** Width and height of each anchor, in cells. */
const anchorSizes = [
  [1.603231, 2.094468],
  [6.041143, 7.080126],
  [2.882459, 3.518061],
  [4.266906, 5.178857],
  [9.041765, 10.66308],
] as const;
/** An anchor's five channels are x, y, width, height, object. Boxes leave here as y, x, height, width. */
const channelsPerAnchor = 5;
const boxChannels = [1, 0, 3, 2];
const objectChannel = 4;

function full(layers: FloatLayers, weights: Weights, name: string, x: Maps): Maps {
  const filter = weights.get(`${name}/filters`);
  const bias = weights.get(`${name}/bias`).data;
  return layers.leakyRelu(layers.convolution(name, x, { filter, bias, padding: "valid" }), leak);
}

function separable(layers: FloatLayers, weights: Weights, name: string, x: Maps): Maps {
  const filtered = layers.depthwise(`${name}/depthwise`, x, {
    filter: weights.get(`${name}/depthwise_filter`),
  });
  const filter = weights.get(`${name}/pointwise_filter`);
  const bias = weights.get(`${name}/bias`).data;
  return layers.leakyRelu(layers.convolution(name, filtered, { filter, bias }), leak);
}

/** The named channels of every anchor, in that order, out of the last convolution. */
function rowsOf(
  graph: Graph,
  layers: FloatLayers,
  weights: Weights,
  name: string,
  x: Maps,
  channels: readonly number[],
): string {
  const chosen = anchorSizes.flatMap((_, anchor) =>
    channels.map((channel) => anchor * channelsPerAnchor + channel),
  );
  const filter = chooseChannels(weights.get("conv8/filters"), chosen);
  const bias = chooseChannels(weights.get("conv8/bias"), chosen).data;
  return head(graph, layers, name, x, { filter, bias, width: channels.length });
}

/** An offset is a part of its cell, counted from the cell's top left corner. */
function anchorsOf(cells: number): Anchors {
  const count = cells * cells * anchorSizes.length;
  const centres: number[] = [];
  const halves: number[] = [];
  for (let cell = 0; cell < cells * cells; cell++) {
    for (const [width, height] of anchorSizes) {
      centres.push(Math.floor(cell / cells) / cells, (cell % cells) / cells);
      halves.push(height / cells / 2, width / cells / 2);
    }
  }
  const steps = new Float32Array(2 * count).fill(1 / cells);
  return { count, centres: Float32Array.from(centres), steps, halves: Float32Array.from(halves) };
}
