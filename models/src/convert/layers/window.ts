import assert from "node:assert/strict";
import { padding } from "../padding.ts";
import type { WeightTensor } from "../weights.ts";
import type { Convolution, Maps, Pool } from "./layers.ts";

/**
 * The attributes, the filter in ONNX's order, and the output maps of a convolution, for every precision.
 */
export function convolutionWindow(name: string, x: Maps, layer: Convolution): ConvolutionWindow {
  const [, , channelsIn, channels] = sides(layer.filter);
  assert.equal(channelsIn, x.channels, `${name} takes ${channelsIn} channels and gets ${x.channels}`);
  return windowOf(name, x, layer, { filter: layer.filter, channels, group: 1 });
}

/** The same for a depthwise convolution. */
export function depthwiseWindow(name: string, x: Maps, layer: Convolution): ConvolutionWindow {
  const [kernel, , channels] = sides(layer.filter);
  assert.equal(channels, x.channels, `${name} takes ${channels} channels and gets ${x.channels}`);
  const filter = { shape: [kernel, kernel, 1, channels], data: layer.filter.data };
  return windowOf(name, x, layer, { filter, channels, group: channels });
}

/** The output maps and the attributes of a pooling operator. */
export function poolWindow(name: string, x: Maps, pool: Pool): { out: Maps; attributes: WindowAttributes } {
  const { kernel, stride } = pool;
  const { before, after, px } = padding(pool.padding, { kernel, stride, px: x.px });
  const attributes = {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [before, before, after, after],
  };
  return { out: { name, channels: x.channels, px }, attributes };
}

/** ONNX's pads for zeros after the last channel, row and column: all starts, and then all ends. */
export function endPads(x: Maps, to: { channels: number; px: number }): number[] {
  const cells = to.px - x.px;
  return [0, 0, 0, 0, 0, to.channels - x.channels, cells, cells];
}

export type ConvolutionWindow = {
  out: Maps;
  /** [out, in, height, width] */
  filter: WeightTensor;
  attributes: WindowAttributes & { group: number };
};

type WindowAttributes = { kernel_shape: number[]; strides: number[]; pads: number[] };

function windowOf(
  name: string,
  x: Maps,
  layer: Convolution,
  { filter, channels, group }: { filter: WeightTensor; channels: number; group: number },
): ConvolutionWindow {
  const [kernel] = sides(filter);
  const stride = layer.stride ?? 1;
  const { out, attributes } = poolWindow(name, x, { kernel, stride, padding: layer.padding ?? "same" });
  return { out: { ...out, channels }, filter: outputsFirst(filter), attributes: { ...attributes, group } };
}

/** The four sides of a filter. */
function sides(filter: WeightTensor): [number, number, number, number] {
  const [height, width, inputs, outputs] = filter.shape;
  assert(filter.shape.length === 4 && height === width, `no square filter: ${filter.shape.join("x")}`);
  return [height!, width!, inputs!, outputs!];
}

/** TensorFlow's [height, width, in, out] as ONNX's [out, in, height, width]. */
function outputsFirst(filter: WeightTensor): WeightTensor {
  const [height, width, inputs, outputs] = sides(filter);
  const area = height * width;
  const data = new Float32Array(filter.data.length);
  for (let cell = 0; cell < area; cell++) {
    for (let i = 0; i < inputs; i++) {
      for (let o = 0; o < outputs; o++) {
        data[(o * inputs + i) * area + cell] = filter.data[(cell * inputs + i) * outputs + o]!;
      }
    }
  }
  return { shape: [outputs, inputs, height, width], data };
}
