import assert from "node:assert/strict";
import type { Graph } from "../../onnx/graph.ts";
import { type FoldedLayer, foldedLayer, prelu, scaleCells } from "../prelu.ts";
import type { Convolution, FullyConnected, Layers, Maps, Normalisation, Pool } from "./layers.ts";
import { type ConvolutionWindow, convolutionWindow, depthwiseWindow, endPads, poolWindow } from "./window.ts";

/** Layers in float32, as the weights were trained. */
export class FloatLayers implements Layers<Maps> {
  readonly #graph: Graph;
  readonly #observe: (maps: Maps) => void;
  #bounds: [zero: string, six: string] | undefined;

  /** Calls `observe` for each layer that has a range of its own. */
  constructor(graph: Graph, observe: (maps: Maps) => void = () => {}) {
    this.#graph = graph;
    this.#observe = observe;
  }

  /**
   * The first steps stand in the graph because a loop over pixels in JavaScript costs more than the network's
   * first layer, and because bytes are a quarter of what floats would take on their way to the engine.
   */
  image(px: number, { mean, factor }: Normalisation): Maps {
    const graph = this.#graph;
    graph.input("image", "uint8", ["N", px, px, 3]);
    graph.node("image/float", "Cast", ["image"], { to: 1 });
    graph.node("image/planes", "Transpose", ["image/float"], { perm: [0, 3, 1, 2] });
    graph.floats("image/mean", [1, 3, 1, 1], Float32Array.from(mean));
    graph.node("image/centred", "Sub", ["image/planes", "image/mean"]);
    graph.floats("image/factor", [1], Float32Array.of(factor));
    return { name: graph.node("image/normal", "Mul", ["image/centred", "image/factor"]), channels: 3, px };
  }

  convolution(name: string, x: Maps, layer: Convolution): Maps {
    const folded = foldedLayer(x, layer);
    return this.#convolve(x, folded, convolutionWindow(name, x, folded));
  }

  depthwise(name: string, x: Maps, layer: Convolution): Maps {
    const folded = foldedLayer(x, layer);
    return this.#convolve(x, folded, depthwiseWindow(name, x, folded));
  }

  fullyConnected(name: string, x: Maps, { filter, bias }: FullyConnected): string {
    const graph = this.#graph;
    const data = scaleCells(filter, x);
    const flat = graph.node(`${name}/flat`, "Flatten", [x.name], { axis: 1 });
    const inputs = [graph.floats(`${name}/filter`, filter.shape, data)];
    inputs.push(graph.floats(`${name}/bias`, [bias.length], bias));
    return graph.node(name, "Gemm", [flat, ...inputs], { transB: 1 });
  }

  relu(x: Maps): Maps {
    return this.#observed({ ...x, name: this.#graph.node(`${x.name}/relu`, "Relu", [x.name]) });
  }

  relu6(x: Maps): Maps {
    this.#bounds ??= [
      this.#graph.floats("zero", [], Float32Array.of(0)),
      this.#graph.floats("six", [], Float32Array.of(6)),
    ];
    return { ...x, name: this.#graph.node(`${x.name}/relu6`, "Clip", [x.name, ...this.#bounds]) };
  }

  add(name: string, a: Maps, b: Maps): Maps {
    assert.deepEqual([a.channels, a.px], [b.channels, b.px], `${name} adds maps of different shapes`);
    return this.#observed({ ...a, name: this.#graph.node(name, "Add", [a.name, b.name]) });
  }

  /** The channels of all of them, in their order. */
  concat(name: string, parts: readonly Maps[]): Maps {
    const px = parts[0]!.px;
    assert(
      parts.every((part) => part.px === px),
      `${name} joins maps of different sides`,
    );
    this.#graph.node(
      name,
      "Concat",
      parts.map((part) => part.name),
      { axis: 1 },
    );
    return { name, channels: parts.reduce((sum, { channels }) => sum + channels, 0), px };
  }

  maxPool(name: string, x: Maps, pool: Pool): Maps {
    return this.#pool("MaxPool", name, x, pool);
  }

  averagePool(name: string, x: Maps, pool: Pool): Maps {
    return this.#pool("AveragePool", name, x, pool);
  }

  zeroPadded(x: Maps, to: { channels: number; px: number }): Maps {
    const pads = this.#graph.ints(`${x.name}/pads`, endPads(x, to));
    return { ...to, name: this.#graph.node(`${x.name}/padded`, "Pad", [x.name, pads]) };
  }

  floats(x: Maps): Maps {
    return x;
  }

  #convolve(x: Maps, layer: FoldedLayer, { out, filter, attributes }: ConvolutionWindow): Maps {
    const graph = this.#graph;
    const inputs = [x.name, graph.floats(`${out.name}/filter`, filter.shape, filter.data)];
    if (layer.bias) inputs.push(graph.floats(`${out.name}/bias`, [out.channels], layer.bias));
    const { kernel_shape, strides, pads, group } = attributes;
    graph.node(out.name, "Conv", inputs, { kernel_shape, strides, pads, group });
    const maps = this.#observed(out);
    return layer.slopes ? { ...prelu(this, maps, layer.slopes), factors: layer.factors } : maps;
  }

  #observed(x: Maps): Maps {
    this.#observe(x);
    return x;
  }

  #pool(operator: string, name: string, x: Maps, pool: Pool): Maps {
    const { out, attributes } = poolWindow(name, x, pool);
    this.#graph.node(name, operator, [x.name], attributes);
    return out;
  }
}

/** The mean of each channel: [N, channels]. */
export function channelMeans(graph: Graph, x: Maps): string {
  const means = graph.node(`${x.name}/means`, "GlobalAveragePool", [x.name]);
  return graph.node(`${means}/flat`, "Flatten", [means], { axis: 1 });
}
