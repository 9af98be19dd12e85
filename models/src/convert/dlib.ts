import type { Graph } from "../onnx/graph.ts";
import { scaleChannels } from "./fold.ts";
import { channelMeans } from "./layers/float.ts";
import type { Layers, Maps } from "./layers/layers.ts";
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
export function writeDlib<M extends Maps>(
  graph: Graph,
  layers: Layers<M>,
  weights: Weights,
  px: number,
): void {
  let x = layers.image(px, { mean: [122.782, 117.001, 104.298], factor: 1 / 255 });
  x = layers.relu(scaled(layers, weights, "conv32_down", x, { stride: 2, padding: "valid" }));
  x = layers.maxPool("pool", x, { kernel: 3, stride: 2, padding: "valid" });
  for (const block of blocks) {
    x = /_down/.test(block) ? residualDown(layers, weights, block, x) : residual(layers, weights, block, x);
  }

  const { shape, data } = weights.get("fc");
  graph.floats("fc", shape, data);
  graph.node("embedding", "MatMul", [channelMeans(graph, layers.floats(x)), "fc"]);
  graph.output("embedding", "float32", ["N", data.length / x.channels]);
}

/** Blocks in order. A "down" block halves the map. */
const blocks = [
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

function residual<M extends Maps>(layers: Layers<M>, weights: Weights, block: string, x: M): M {
  const inner = layers.relu(scaled(layers, weights, `${block}/conv1`, x));
  const change = scaled(layers, weights, `${block}/conv2`, inner);
  return layers.relu(layers.add(block, change, x));
}

/**
 * The shortcut is a mean of 2x2 cells, with channels of zeros if the block has more of them. On maps of even
 * size the convolutions lose a cell that the mean keeps: zeros take its place, on the right and at the bottom
 * only.
 */
function residualDown<M extends Maps>(layers: Layers<M>, weights: Weights, block: string, x: M): M {
  const inner = scaled(layers, weights, `${block}/conv1`, x, { stride: 2, padding: "valid" });
  const change = scaled(layers, weights, `${block}/conv2`, layers.relu(inner));
  const shortcut = layers.averagePool(`${block}/mean`, x, { kernel: 2, stride: 2, padding: "valid" });

  const px = Math.max(change.px, shortcut.px);
  const channels = Math.max(change.channels, shortcut.channels);
  const padded = (maps: M): M =>
    maps.channels === channels && maps.px === px ? maps : layers.zeroPadded(maps, { channels, px });
  return layers.relu(layers.add(block, padded(change), padded(shortcut)));
}

/**
 * A convolution, then a factor and a shift for each channel: (conv + bias) * factor + shift, folded into one.
 */
function scaled<M extends Maps>(
  layers: Layers<M>,
  weights: Weights,
  name: string,
  x: M,
  window: Window = {},
): M {
  const factors = [...weights.get(`${name}/scale/weights`).data];
  const shifts = weights.get(`${name}/scale/biases`).data;
  const bias = weights.get(`${name}/conv/bias`).data.map((value, i) => value * factors[i]! + shifts[i]!);
  const filter = scaleChannels(weights.get(`${name}/conv/filters`), factors);
  return layers.convolution(name, x, { filter, bias, ...window });
}

type Window = { stride?: number; padding?: Padding };
