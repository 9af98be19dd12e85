import assert from "node:assert/strict";
import type { WeightTensor } from "./weights.ts";

/**
 * Folds what can be computed once, so that no image pays for it. All of it in double precision,
 * rounded to float32 once.
 */

/** Multiplies each output channel by its factor. Channels are the fastest axis, in depthwise filters too. */
export function scaleChannels(filter: WeightTensor, factors: readonly number[]): WeightTensor {
  const channels = factors.length;
  assert.equal(
    filter.data.length % channels,
    0,
    `${channels} factors for a filter ${filter.shape.join("x")}`,
  );
  return { shape: filter.shape, data: filter.data.map((weight, i) => weight * factors[i % channels]!) };
}

/** Multiplies what a filter reads of each input channel. Depthwise filters read one channel each. */
export function scaleInputs(filter: WeightTensor, factors: readonly number[]): WeightTensor {
  const [, , inputs = 0, outputs = 0] = filter.shape;
  assert.equal(inputs, factors.length, `${factors.length} factors for a filter ${filter.shape.join("x")}`);
  const data = filter.data.map((weight, i) => weight * factors[Math.floor(i / outputs) % inputs]!);
  return { shape: filter.shape, data };
}

/** The channels of the last axis that are named, in the order named. */
export function chooseChannels(tensor: WeightTensor, chosen: readonly number[]): WeightTensor {
  const channels = tensor.shape.at(-1)!;
  const rows = tensor.data.length / channels;
  const data = new Float32Array(rows * chosen.length);
  for (let row = 0; row < rows; row++) {
    for (const [place, channel] of chosen.entries()) {
      data[row * chosen.length + place] = tensor.data[row * channels + channel]!;
    }
  }
  return { shape: [...tensor.shape.slice(0, -1), chosen.length], data };
}

/**
 * y = (x - mean) * gamma / sqrt(variance + epsilon) + beta, as factors for the filter before it and a bias.
 */
export function foldBatchNorm(norm: BatchNorm): { factors: number[]; bias: Float32Array } {
  const factors = Array.from(norm.gamma, (gamma, i) => gamma / Math.sqrt(norm.variance[i]! + norm.epsilon));
  const bias = norm.beta.map((beta, i) => beta - norm.mean[i]! * factors[i]!);
  return { factors, bias };
}

type BatchNorm = {
  gamma: Float32Array;
  beta: Float32Array;
  mean: Float32Array;
  variance: Float32Array;
  epsilon: number;
};
