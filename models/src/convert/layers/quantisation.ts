import type { WeightTensor } from "../weights.ts";

/**
 * Numbers in eight bits: x = (q - zero) * scale.
 *
 * Maps are uint8 with a scale and a zero point for each layer, filters int8 and symmetric with a scale for
 * each output channel, biases int32: the scheme of ONNX's QLinearConv.
 */
export type Quantisation = { scale: number; zero: number };

/** The measured range of a layer's numbers. Numbers beyond it are clipped. */
export type Range = readonly [least: number, most: number];

/** The quantisation of a range. Zero is always exact, because padding and the lower end of a relu need it. */
export function quantisationOf([least, most]: Range): Quantisation {
  const from = Math.min(0, least);
  const scale = (Math.max(0, most) - from) / 255 || 1;
  return { scale, zero: Math.round((0 - from) / scale) };
}

/**
 * A filter [out, in, height, width] for maps of the scale `inputScale`.
 *
 * Weights have seven bits, because x64 CPUs without VNNI add two products in 16 bits, where 2 × 255 × 64 is
 * the most that does not saturate. Filters of one input channel, as depthwise ones, have eight: onnxruntime
 * adds theirs in 32 bits. The rounding error of a weight is carried to the next one in the window of its
 * input channel. Neighbours in a map are much alike, so the errors nearly cancel, and embeddings are as near
 * to float as with eight bits and plain rounding.
 *
 * The scale of a channel is that of its greatest weight, unless its bias would then leave int32: channels
 * that training has killed have weights of 1e-20 and a bias of 1. Without this such a channel overflows and
 * large faces vanish.
 */
export function quantiseFilter(
  filter: WeightTensor,
  bias: Float64Array,
  inputScale: number,
): QuantisedFilter {
  const channels = filter.shape[0]!;
  const width = filter.data.length / channels;
  const [, inputs, height, across] = filter.shape;
  const window = height! * across!;
  const weightMax = inputs === 1 ? 127 : 64;
  const data = new Int8Array(filter.data.length);
  const scales = new Float32Array(channels);
  const biases = new Int32Array(channels);
  for (let channel = 0; channel < channels; channel++) {
    const weights = filter.data.subarray(channel * width, (channel + 1) * width);
    const greatest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    const forBias = Math.abs(bias[channel]!) / (inputScale * biasMax);
    const scale = Math.fround(Math.max(greatest / weightMax, forBias)) || 1;
    scales[channel] = scale;
    biases[channel] = Math.round(bias[channel]! / (inputScale * scale));
    let error = 0;
    for (let i = 0; i < width; i++) {
      const exact = weights[i]! / scale + (i % window === 0 ? 0 : error);
      const rounded = Math.max(-weightMax, Math.min(weightMax, Math.round(exact)));
      data[channel * width + i] = rounded;
      error = exact - rounded;
    }
  }
  return { data, scales, biases };
}

/** The bias that a constant offset of each input channel adds to each output channel. */
export function biasOfOffsets(filter: WeightTensor, offsets: readonly number[]): Float64Array {
  const [outputs = 0, inputs = 0, height = 0, width = 0] = filter.shape;
  const area = height * width;
  return Float64Array.from({ length: outputs }, (_, out) => {
    let sum = 0;
    for (let i = 0; i < inputs * area; i++) {
      sum += filter.data[out * inputs * area + i]! * offsets[Math.floor(i / area)]!;
    }
    return sum;
  });
}

/** Scales of channels, from a letter for each: "m" is 1, and the next one is the square root of 2. */
export const scalesOfLetters = (letters: string): number[] =>
  Array.from(letters, (letter) => 2 ** ((letter.charCodeAt(0) - letterOfOne) / 2));

/** The letter of the nearest scale. */
export const letterOfScale = (scale: number): string =>
  String.fromCharCode(letterOfOne + Math.max(-12, Math.min(13, Math.round(2 * Math.log2(scale)))));

const letterOfOne = 109;

/** Leaves room in int32 for the products of the filter. */
const biasMax = 2 ** 26;

type QuantisedFilter = { data: Int8Array; scales: Float32Array; biases: Int32Array };
