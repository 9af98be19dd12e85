import { scaleChannels, scaleInputs } from "./fold.ts";
import type { Convolution, Layers, Maps } from "./layers/layers.ts";
import type { WeightTensor } from "./weights.ts";

/**
 * PReLU: max(x, 0) + slope * min(x, 0), with a slope of at most 1 for each channel. It is written as
 * slope * x + max((1 - slope) * x, 0), two convolutions of one number a channel: onnxruntime's own operator
 * runs in another memory layout than convolutions, and a network with 33 of them took twice as long.
 */
export function prelu<M extends Maps>(layers: Layers<M>, x: M, slopes: readonly number[]): M {
  const name = `${x.name}/prelu`;
  const above = layers.depthwise(`${name}/above`, x, lineOf(slopes.map((slope) => 1 - slope)));
  const line = layers.depthwise(`${name}/line`, x, lineOf(slopes));
  return layers.add(name, line, layers.relu(above));
}

/** The depthwise convolution that multiplies each channel by its factor. */
export function lineOf(factors: readonly number[]): Convolution {
  return { filter: { shape: [1, 1, factors.length, 1], data: Float32Array.from(factors) } };
}

/**
 * The layer with the factors of the maps that it reads in its filter, and with slopes of at most 1. Its own
 * output has the returned factors: each channel is multiplied by its scale, which is positive.
 *
 * A channel with a slope s above 1 is negated: PReLU(x) is -s * PReLU'(-x), where PReLU' has the slope 1 / s.
 * So nothing is computed for it at run time.
 */
export function foldedLayer(x: Maps, layer: Convolution, channelScales?: readonly number[]): FoldedLayer {
  const filter = x.factors ? scaleInputs(layer.filter, x.factors) : layer.filter;
  if (layer.slopes === undefined) return { ...layer, filter, slopes: undefined };
  const stated = Array.from(layer.slopes);
  const scales = channelScales ?? stated.map(() => 1);
  const signed = stated.map((slope, channel) => (slope > 1 ? -scales[channel]! : scales[channel]!));
  const bias = layer.bias?.map((value, channel) => value * signed[channel]!);
  return {
    ...layer,
    filter: scaleChannels(filter, signed),
    ...(bias && { bias }),
    slopes: stated.map((slope) => (slope > 1 ? 1 / slope : slope)),
    factors: stated.map((slope, channel) => (slope > 1 ? -slope : 1) / scales[channel]!),
  };
}

/** The numbers of a filter for flat maps, with the factors of their channels. */
export function scaleCells({ data }: WeightTensor, { channels, px, factors }: Maps): Float32Array {
  return factors ? data.map((weight, i) => weight * factors[Math.floor(i / px ** 2) % channels]!) : data;
}

export type FoldedLayer = Omit<Convolution, "slopes"> & {
  slopes: number[] | undefined;
  factors?: readonly number[];
};
