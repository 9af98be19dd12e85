import assert from "node:assert/strict";
import { padding } from "../padding.ts";
import type { Tensor } from "../weights.ts";
import type { Convolution, Maps, Pool } from "./layers.ts";

/**
 * What every precision's convolution needs to know: ONNX's attributes, its order of the filter, and what
 * comes out.
 */
export function placeConvolution(name: string, x: Maps, layer: Convolution): Placed {
  const [, , channelsIn, channels] = sides(layer.filter);
  assert.equal(channelsIn, x.channels, `${name} takes ${channelsIn} channels and gets ${x.channels}`);
  return place(name, x, layer, { filter: layer.filter, channels, group: 1 });
}

export function placeDepthwise(name: string, x: Maps, layer: Convolution): Placed {
  const [kernel, , channels] = sides(layer.filter);
  assert.equal(channels, x.channels, `${name} takes ${channels} channels and gets ${x.channels}`);
  const filter = { shape: [kernel, kernel, 1, channels], data: layer.filter.data };
  return place(name, x, layer, { filter, channels, group: channels });
}

export function placePool(name: string, x: Maps, pool: Pool): { out: Maps; attributes: WindowAttributes } {
  const { kernel, stride } = pool;
  const { before, after, px } = padding(pool.padding, { kernel, stride, px: x.px });
  const attributes = {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [before, before, after, after],
  };
  return { out: { name, channels: x.channels, px }, attributes };
}

/** Zeros that make of `x` what it is to become: ONNX's pads, all before and then all after. */
export function padsTo(x: Maps, to: { channels: number; px: number }): number[] {
  const cells = to.px - x.px;
  return [0, 0, 0, 0, 0, to.channels - x.channels, cells, cells];
}

export type Placed = {
  out: Maps;
  /** [out, in, height, width] */
  filter: Tensor;
  attributes: WindowAttributes & { group: number };
};

type WindowAttributes = { kernel_shape: number[]; strides: number[]; pads: number[] };

function place(
  name: string,
  x: Maps,
  layer: Convolution,
  { filter, channels, group }: { filter: Tensor; channels: number; group: number },
): Placed {
  const [kernel] = sides(filter);
  const stride = layer.stride ?? 1;
  const { out, attributes } = placePool(name, x, { kernel, stride, padding: layer.padding ?? "same" });
  return { out: { ...out, channels }, filter: outputsFirst(filter), attributes: { ...attributes, group } };
}

/** The four sides of a filter. */
function sides(filter: Tensor): [number, number, number, number] {
  const [height, width, inputs, outputs] = filter.shape;
  assert(filter.shape.length === 4 && height === width, `no square filter: ${filter.shape.join("x")}`);
  return [height!, width!, inputs!, outputs!];
}

/** TensorFlow's [height, width, in, out] as ONNX's [out, in, height, width]. */
function outputsFirst(filter: Tensor): Tensor {
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
