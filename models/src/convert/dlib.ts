import { scaleChannels } from "./fold.ts";
import { add, averagePool, channelMeans, convolution, image, type Maps, maxPool, relu } from "./layers.ts";
import { Graph } from "./onnx/graph.ts";
import type { Padding } from "./padding.ts";
import type { Weights } from "./weights.ts";

/**
 * dlib's face recognition network, a ResNet of 29 layers.
 *
 *     image uint8 [N, 150, 150, 3]  ─►  embedding [N, 128]
 *
 * The image is a face chip: rotated and scaled to dlib's mean face, with a padding of 0.25. The embedding
 * is not normalised; its length is about 1.5. Layers and constants are face-api's (src/faceRecognitionNet
 * of @vladmandic/face-api), which divides by 255 where dlib divides by 256.
 */
export function convertDlib(weights: Weights): Graph {
  const graph = new Graph("Dlib");
  let x = image(graph, INPUT_PX, { mean: [122.782, 117.001, 104.298], factor: 1 / 255 });
  x = relu(graph, scaled(graph, weights, "conv32_down", x, { stride: 2, padding: "valid" }));
  x = maxPool(graph, "pool", x, { kernel: 3, stride: 2, padding: "valid" });
  for (const block of BLOCKS) {
    x = /_down/.test(block) ? residualDown(graph, weights, block, x) : residual(graph, weights, block, x);
  }

  const { shape, data } = weights.get("fc");
  graph.floats("fc", shape, data);
  graph.node("embedding", "MatMul", [channelMeans(graph, x), "fc"]);
  graph.output("embedding", "float32", ["N", data.length / x.channels]);
  return graph;
}

const INPUT_PX = 150;

/** In order. A "down" block halves the map. */
const BLOCKS = [
  "conv32_1",
  "conv32_2",
  "conv32_3",
  "conv64_down",
  "conv64_1",
  "conv64_2",
  "conv64_3",
  "conv128_down",
  "conv128_1",
  "conv128_2",
  "conv256_down",
  "conv256_1",
  "conv256_2",
  "conv256_down_out",
];

function residual(graph: Graph, weights: Weights, block: string, x: Maps): Maps {
  const inner = relu(graph, scaled(graph, weights, `${block}/conv1`, x));
  const change = scaled(graph, weights, `${block}/conv2`, inner);
  return relu(graph, add(graph, block, change, x));
}

/**
 * The way round is a mean of 2x2 cells, with channels of zeros where the block has more of them. The
 * convolutions lose a cell that the mean keeps on maps of even size: zeros take its place, on the right and
 * at the bottom only.
 */
function residualDown(graph: Graph, weights: Weights, block: string, x: Maps): Maps {
  const inner = scaled(graph, weights, `${block}/conv1`, x, { stride: 2, padding: "valid" });
  const change = scaled(graph, weights, `${block}/conv2`, relu(graph, inner));
  const past = averagePool(graph, `${block}/mean`, x, { kernel: 2, stride: 2, padding: "valid" });

  const px = Math.max(change.px, past.px);
  const channels = Math.max(change.channels, past.channels);
  const sum = add(graph, block, grown(graph, change, { channels, px }), grown(graph, past, { channels, px }));
  return relu(graph, sum);
}

/** Zeros after the last channel, the last row and the last column. */
function grown(graph: Graph, x: Maps, to: { channels: number; px: number }): Maps {
  if (x.channels === to.channels && x.px === to.px) return x;
  const cells = to.px - x.px;
  const pads = graph.ints(`${x.name}/pads`, [0, 0, 0, 0, 0, to.channels - x.channels, cells, cells]);
  return { name: graph.node(`${x.name}/padded`, "Pad", [x.name, pads]), ...to };
}

/** A convolution, then a factor and a shift for each channel: (conv + bias) * factor + shift, folded into one. */
function scaled(graph: Graph, weights: Weights, name: string, x: Maps, window: Window = {}): Maps {
  const factors = [...weights.get(`${name}/scale/weights`).data];
  const shifts = weights.get(`${name}/scale/biases`).data;
  const bias = weights.get(`${name}/conv/bias`).data.map((value, i) => value * factors[i]! + shifts[i]!);
  const filter = scaleChannels(weights.get(`${name}/conv/filters`), factors);
  return convolution(graph, name, x, { filter, bias, ...window });
}

type Window = { stride?: number; padding?: Padding };
