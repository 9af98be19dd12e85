import type { Layers, Maps } from "./layers/layers.ts";

/**
 * PReLU: max(x, 0) + slope * min(x, 0), with a slope of at most 1 for each channel. It is written as
 * slope * x + max((1 - slope) * x, 0), two convolutions of one number a channel: onnxruntime's own operator
 * runs in another memory layout than convolutions, and a network with 33 of them took twice as long.
 */
export function prelu<M extends Maps>(layers: Layers<M>, x: M, slopes: readonly number[]): M {
  const name = `${x.name}/prelu`;
  const filterOf = (factors: readonly number[]) => ({
    filter: { shape: [1, 1, x.channels, 1], data: Float32Array.from(factors) },
  });
  const above = layers.depthwise(`${name}/above`, x, filterOf(slopes.map((slope) => 1 - slope)));
  const line = layers.depthwise(`${name}/line`, x, filterOf(slopes));
  return layers.add(name, line, layers.relu(above));
}

/**
 * Slopes of at most 1 for a PReLU of any slopes. A channel with a slope s above 1 is negated: PReLU(x) is
 * -s * PReLU'(-x), where PReLU' has the slope 1 / s. The layer before takes the signs and the layer after
 * takes the factors, so nothing is computed for it at run time.
 */
export function withSlopesBelowOne(slopes: readonly number[]): {
  slopes: number[];
  /** Multiply the outputs of the layer before. */
  signs: number[];
  /** Multiply what the layer after reads. */
  factors: number[];
} {
  return {
    slopes: slopes.map((slope) => (slope > 1 ? 1 / slope : slope)),
    signs: slopes.map((slope) => (slope > 1 ? -1 : 1)),
    factors: slopes.map((slope) => (slope > 1 ? -slope : 1)),
  };
}
