import type { Graph } from "../onnx/graph.ts";
import { foldBatchNorm, scaleChannels } from "./fold.ts";
import type { Layers, Maps } from "./layers/layers.ts";
import type { Weights } from "./weights.ts";

/**
 * SFace, a MobileNet of 27 convolutions without shortcuts.
 *
 *     image uint8 [N, 112, 112, 3]  ─►  embedding [N, 128], of length 1
 *
 * The image is a face chip by ArcFace's template. The file of OpenCV Zoo, where the weights come from, takes
 * one face at a time and ends with the raw embedding, whose length follows the image's quality.
 */
export function writeSface<M extends Maps>(
  graph: Graph,
  layers: Layers<M>,
  weights: Weights,
  px: number,
): void {
  const mean = weights.get("scalar_op1").data[0]!;
  const factor = weights.get("scalar_op2").data[0]!;
  let x = activated(layers, weights, "conv_1", layers.image(px, { mean: [mean, mean, mean], factor }));
  for (let block = 2; block <= 14; block++) {
    const stride = halving.has(block) ? 2 : 1;
    x = activated(layers, weights, `conv_${block}_dw`, x, stride);
    x = activated(layers, weights, `conv_${block}`, x);
  }
  const numbers = layers.fullyConnected("numbers", x, foldedHead(weights, x.channels));
  graph.node("embedding", "LpNormalization", [numbers], { axis: 1, p: 2 });
  graph.output("embedding", "float32", ["N", weights.get("pre_fc1_bias_dequantized").data.length]);
}

/** Blocks that halve the map. */
const halving = new Set([3, 5, 7, 13]);

/** A convolution, its batch norm and its PReLU. */
function activated<M extends Maps>(layers: Layers<M>, weights: Weights, name: string, x: M, stride = 1): M {
  const { factors, bias } = batchNorm(weights, `${name}_batchnorm`, 1e-3);
  const filter = scaleChannels(weights.get(`${name}_conv2d_weight_reshaped`), factors);
  const slopes = weights.get(`${name}_relu_gamma`).data;
  const layer = { filter, bias, slopes, stride, padding: "even" } as const;
  return name.endsWith("_dw") ? layers.depthwise(name, x, layer) : layers.convolution(name, x, layer);
}

/** The batch norm of the maps, the fully connected layer and the batch norm of its outputs, as one layer. */
function foldedHead(weights: Weights, channels: number) {
  const before = batchNorm(weights, "bn1", 2e-5);
  const after = batchNorm(weights, "fc1", 2e-5);
  const { shape, data } = weights.get("pre_fc1_weight_dequantized");
  const bias = Float64Array.from(weights.get("pre_fc1_bias_dequantized").data);
  const [, width = 0] = shape;
  const cells = width / channels;
  const folded = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const [row, channel, weight] = [Math.floor(i / width), Math.floor((i % width) / cells), data[i]!];
    bias[row]! += weight * before.bias[channel]!;
    folded[i] = weight * before.factors[channel]! * after.factors[row]!;
  }
  const biases = Float32Array.from(bias, (value, row) => value * after.factors[row]! + after.bias[row]!);
  return { filter: { shape, data: folded }, bias: biases };
}

function batchNorm(weights: Weights, name: string, epsilon: number) {
  const get = (part: string): Float32Array => weights.get(`${name}_${part}`).data;
  const [mean, variance] = [get("moving_mean"), get("moving_var")];
  return foldBatchNorm({ gamma: get("gamma"), beta: get("beta"), mean, variance, epsilon });
}
