import type { Graph } from "../onnx/graph.ts";
import { channelMeans, type FloatLayers } from "./layers/float.ts";
import type { Maps } from "./layers/layers.ts";
import type { Weights } from "./weights.ts";

/**
 * 68 landmarks of a face, in the order of iBUG 300-W (36..41 the eye on the image's left, 42..47 the one on
 * its right, 27..35 the nose, 48..67 the mouth).
 *
 *     image uint8 [N, 112, 112, 3]  ─►  points [N, 68, 2]: x, y in 0..1 of the crop
 *
 * Points may lie outside the crop. Layers and constants are face-api's (src/faceLandmarkNet and
 * src/faceFeatureExtractor of @vladmandic/face-api).
 */
export function writeLandmarks(graph: Graph, layers: FloatLayers, weights: Weights, px: number): void {
  let x = layers.image(px, { mean: [122.782, 117.001, 104.298], factor: 1 / 255 });
  for (let block = 0; block < 4; block++) x = denseBlock(layers, weights, `dense${block}`, x);

  const { shape, data } = weights.get("fc/weights");
  graph.floats("fc/weights", shape, data);
  graph.floats("fc/bias", [data.length / x.channels], weights.get("fc/bias").data);
  const numbers = graph.node("fc", "Gemm", [channelMeans(graph, x), "fc/weights", "fc/bias"]);
  graph.node("points", "Reshape", [numbers, graph.ints("points/shape", [0, 68, 2])]);
  graph.output("points", "float32", ["N", 68, 2]);
}

/**
 * Each step adds to the sum of all previous ones, and the next one sees the positive part of that sum. The
 * sum itself keeps its negative numbers, so that later steps can take back what earlier ones added.
 */
function denseBlock(layers: FloatLayers, weights: Weights, block: string, x: Maps): Maps {
  let sum = layers.relu(firstStep(layers, weights, `${block}/conv0`, x));
  let seen = sum;
  for (let step = 1; step <= 3; step++) {
    const added = separable(layers, weights, `${block}/conv${step}`, seen, 1);
    sum = layers.add(`${block}/sum${step}`, sum, added);
    seen = layers.relu(sum);
  }
  return seen;
}

/** Halves the map. That of the first block is a full convolution, the others are separable. */
function firstStep(layers: FloatLayers, weights: Weights, name: string, x: Maps): Maps {
  if (name !== "dense0/conv0") return separable(layers, weights, name, x, 2);
  const filter = weights.get(`${name}/filters`);
  return layers.convolution(name, x, { filter, bias: weights.get(`${name}/bias`).data, stride: 2 });
}

function separable(layers: FloatLayers, weights: Weights, name: string, x: Maps, stride: number): Maps {
  const perChannel = { filter: weights.get(`${name}/depthwise_filter`), stride };
  const filtered = layers.depthwise(`${name}/depthwise`, x, perChannel);
  const filter = weights.get(`${name}/pointwise_filter`);
  return layers.convolution(name, filtered, { filter, bias: weights.get(`${name}/bias`).data });
}
