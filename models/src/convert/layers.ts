import assert from "node:assert/strict";
import type { Graph } from "./onnx/graph.ts";
import { type Padding, padding } from "./padding.ts";
import type { Tensor } from "./weights.ts";

/** A square feature map: the tensor [N, channels, px, px] that goes by this name in the graph. */
export type Maps = { name: string; channels: number; px: number };

/** Per-channel mean in RGB order and on the scale of 0 to 255, then a factor: x = (rgb - mean) * factor. */
export type Normalisation = { mean: readonly [number, number, number]; factor: number };

/**
 * The graph's input `image`, uint8 [N, px, px, 3], RGB, and the first steps on it. They stand in the graph
 * because a loop over pixels in JavaScript costs more than the network's first layer, and because bytes
 * are a quarter of what floats would take on their way to the engine.
 */
export function image(graph: Graph, px: number, { mean, factor }: Normalisation): Maps {
  graph.input("image", "uint8", ["N", px, px, 3]);
  graph.node("image/float", "Cast", ["image"], { to: 1 });
  graph.node("image/planes", "Transpose", ["image/float"], { perm: [0, 3, 1, 2] });
  graph.floats("image/mean", [1, 3, 1, 1], Float32Array.from(mean));
  graph.node("image/centred", "Sub", ["image/planes", "image/mean"]);
  graph.floats("image/factor", [1], Float32Array.of(factor));
  return { name: graph.node("image/normal", "Mul", ["image/centred", "image/factor"]), channels: 3, px };
}

export function convolution(graph: Graph, name: string, x: Maps, layer: Convolution): Maps {
  const [kernel, , channelsIn, channelsOut] = sides(layer.filter);
  assert.equal(channelsIn, x.channels, `${name} takes ${channelsIn} channels and gets ${x.channels}`);
  const window = { kernel, stride: layer.stride ?? 1, px: x.px };
  const filter = outputsFirst(layer.filter);
  return convolve(graph, name, x, { ...layer, filter, window, channels: channelsOut, group: 1 });
}

/** One filter per channel: [kernel, kernel, channels, 1] holds its numbers as a convolution with one input would. */
export function depthwise(graph: Graph, name: string, x: Maps, layer: Convolution): Maps {
  const [kernel, , channels] = sides(layer.filter);
  assert.equal(channels, x.channels, `${name} takes ${channels} channels and gets ${x.channels}`);
  const window = { kernel, stride: layer.stride ?? 1, px: x.px };
  const filter = outputsFirst({ shape: [kernel, kernel, 1, channels], data: layer.filter.data });
  return convolve(graph, name, x, { ...layer, filter, window, channels, group: channels });
}

export function relu(graph: Graph, x: Maps): Maps {
  return { ...x, name: graph.node(`${x.name}/relu`, "Relu", [x.name]) };
}

export function leakyRelu(graph: Graph, x: Maps, alpha: number): Maps {
  return { ...x, name: graph.node(`${x.name}/leaky`, "LeakyRelu", [x.name], { alpha: { float: alpha } }) };
}

export function add(graph: Graph, name: string, a: Maps, b: Maps): Maps {
  assert.deepEqual([a.channels, a.px], [b.channels, b.px], `${name} adds maps of different shapes`);
  return { ...a, name: graph.node(name, "Add", [a.name, b.name]) };
}

export function maxPool(graph: Graph, name: string, x: Maps, pool: Pool): Maps {
  return { ...x, ...pooled(graph, "MaxPool", name, x, pool) };
}

export function averagePool(graph: Graph, name: string, x: Maps, pool: Pool): Maps {
  return { ...x, ...pooled(graph, "AveragePool", name, x, pool) };
}

/** The mean of each channel: [N, channels]. */
export function channelMeans(graph: Graph, x: Maps): string {
  const means = graph.node(`${x.name}/means`, "GlobalAveragePool", [x.name]);
  return graph.node(`${means}/flat`, "Flatten", [means], { axis: 1 });
}

/** `padding` is "same" and `stride` 1 unless told. Without `bias`, nothing is added. */
export type Convolution = { filter: Tensor; bias?: Float32Array; stride?: number; padding?: Padding };
export type Pool = { kernel: number; stride: number; padding: Padding };

/** The four sides of a filter. */
export function sides(filter: Tensor): [number, number, number, number] {
  const [height, width, inputs, outputs] = filter.shape;
  assert(filter.shape.length === 4 && height === width, `no square filter: ${filter.shape.join("x")}`);
  return [height!, width!, inputs!, outputs!];
}

type Placed = Convolution & {
  window: { kernel: number; stride: number; px: number };
  channels: number;
  group: number;
};

function convolve(graph: Graph, name: string, x: Maps, layer: Placed): Maps {
  const { kernel, stride } = layer.window;
  const { before, after, px } = padding(layer.padding ?? "same", layer.window);
  const inputs = [x.name, graph.floats(`${name}/filter`, layer.filter.shape, layer.filter.data)];
  if (layer.bias) inputs.push(graph.floats(`${name}/bias`, [layer.channels], layer.bias));
  graph.node(name, "Conv", inputs, {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [before, before, after, after],
    group: layer.group,
  });
  return { name, channels: layer.channels, px };
}

function pooled(graph: Graph, operator: string, name: string, x: Maps, pool: Pool) {
  const { kernel, stride } = pool;
  const { before, after, px } = padding(pool.padding, { kernel, stride, px: x.px });
  const pads = [before, before, after, after];
  graph.node(name, operator, [x.name], { kernel_shape: [kernel, kernel], strides: [stride, stride], pads });
  return { name, px };
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
