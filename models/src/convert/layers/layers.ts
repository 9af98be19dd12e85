import type { Padding } from "../padding.ts";
import type { WeightTensor } from "../weights.ts";

/**
 * The layers that a network is described with, once for every precision: each method adds a layer to a graph
 * and returns its output maps. `M` is a precision's representation of maps.
 */
export interface Layers<M extends Maps> {
  /** The graph's input `image`, uint8 [N, px, px, 3], RGB, and the first steps on it. */
  image(px: number, normalisation: Normalisation): M;
  convolution(name: string, x: M, layer: Convolution): M;
  /**
   * One filter per channel: [kernel, kernel, channels, 1] holds its numbers as a convolution with one input
   * would.
   */
  depthwise(name: string, x: M, layer: Convolution): M;
  /** filter [out, in * px * px] times the flat maps, plus the bias: [N, out] in float32. Returns its name. */
  fullyConnected(name: string, x: M, layer: FullyConnected): string;
  /** max(x, 0) */
  relu(x: M): M;
  /** min(max(x, 0), 6) */
  relu6(x: M): M;
  add(name: string, a: M, b: M): M;
  maxPool(name: string, x: M, pool: Pool): M;
  averagePool(name: string, x: M, pool: Pool): M;
  /** Zeros after the last channel, the last row and the last column. */
  zeroPadded(x: M, to: { channels: number; px: number }): M;
  /** The same in float32, for whatever follows the last layer. */
  floats(x: M): Maps;
}

/**
 * A square feature map: the tensor [N, channels, px, px] with this name in the graph. With `factors`, each
 * channel must be multiplied by its factor: the layer that reads the maps has it in its filter.
 */
export type Maps = { name: string; channels: number; px: number; factors?: readonly number[] | undefined };

/** Per-channel mean in RGB order and on the scale of 0 to 255, then a factor: x = (rgb - mean) * factor. */
export type Normalisation = { mean: readonly [number, number, number]; factor: number };

/**
 * `padding` is "same" and `stride` 1 by default. Without `bias`, nothing is added. With `slopes`, a PReLU
 * follows, of one slope for each channel.
 */
export type Convolution = {
  filter: WeightTensor;
  bias?: Float32Array;
  slopes?: ArrayLike<number> | undefined;
  stride?: number;
  padding?: Padding;
};

export type FullyConnected = { filter: WeightTensor; bias: Float32Array };

export type Pool = { kernel: number; stride: number; padding: Padding };
