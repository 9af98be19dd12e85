import assert from "node:assert/strict";
import type { Graph } from "../../onnx/graph.ts";
import { scaleChannels } from "../fold.ts";
import { foldedLayer, lineOf, scaleCells } from "../prelu.ts";
import type { Convolution, FullyConnected, Layers, Maps, Normalisation, Pool } from "./layers.ts";
import {
  biasOfOffsets,
  type Quantisation,
  quantisationOf,
  quantiseFilter,
  type Range,
} from "./quantisation.ts";
import { type ConvolutionWindow, convolutionWindow, depthwiseWindow, endPads, poolWindow } from "./window.ts";

/**
 * Layers in eight bits.
 *
 * A layer is written when another one reads it, because only then is it known whether a relu follows. A relu
 * is no operator of its own here: it is a zero point of 0 at the layer before it, which clips negative
 * numbers at no cost.
 */
export class Int8Layers implements Layers<QuantisedMaps> {
  readonly #graph: Graph;
  readonly #rangeOf: RangeOf;
  readonly #scalesOf: ScalesOf;
  readonly #written = new Set<string>();
  /** Names of the scale and the zero point of every layer that another one reads. */
  readonly #parameters = new Map<string, readonly [scale: string, zero: string]>();

  constructor(graph: Graph, rangeOf: RangeOf, scalesOf: ScalesOf = () => undefined) {
    this.#graph = graph;
    this.#rangeOf = rangeOf;
    this.#scalesOf = scalesOf;
  }

  /**
   * The bytes are used as they are. One zero point replaces three means, and the bias of the first
   * convolution corrects the difference of each channel.
   */
  image(px: number, { mean, factor }: Normalisation): QuantisedMaps {
    this.#graph.input("image", "uint8", ["N", px, px, 3]);
    const name = this.#graph.node("image/planes", "Transpose", ["image"], { perm: [0, 3, 1, 2] });
    this.#written.add(name);
    const zero = Math.round((mean[0] + mean[1] + mean[2]) / 3);
    const offsets = mean.map((each) => (zero - each) * factor);
    return { name, channels: 3, px, quantisation: () => ({ scale: factor, zero }), offsets, write() {} };
  }

  /** A PReLU after it scales rounded numbers, so the range must include the numbers before it, too. */
  convolution(name: string, x: QuantisedMaps, layer: Convolution): QuantisedMaps {
    const folded = foldedLayer(x, layer, this.#scalesOf(name));
    const own = this.#convolve(x, folded, convolutionWindow(name, x, folded));
    if (folded.slopes === undefined) return own;
    const rangeOf = (): Range => [this.#rangeOf(name)[0], this.#rangeOf(`${name}/prelu`)[1]];
    const scaling = lineOf(folded.slopes);
    const rounded = { ...own, quantisation: () => quantisationOf(rangeOf()) };
    const line = this.#convolve(rounded, scaling, depthwiseWindow(`${name}/line`, own, scaling));
    return this.#greater({ ...own, factors: folded.factors }, line, rangeOf);
  }

  /**
   * A PReLU after it is computed from the input twice. The range is that of its results: a number that is
   * clipped there has a greater product with the slope.
   */
  depthwise(name: string, x: QuantisedMaps, layer: Convolution): QuantisedMaps {
    const folded = foldedLayer(x, layer, this.#scalesOf(name));
    const own = this.#convolve(x, folded, depthwiseWindow(name, x, folded));
    const { slopes, factors, filter, bias = new Float32Array(own.channels) } = folded;
    if (slopes === undefined) return own;
    const scaled = {
      ...folded,
      filter: scaleChannels(filter, slopes),
      bias: bias.map((value, channel) => value * slopes[channel]!),
    };
    const line = this.#convolve(x, scaled, depthwiseWindow(`${name}/line`, x, scaled));
    return this.#greater({ ...own, factors }, line, () => this.#rangeOf(`${name}/prelu`));
  }

  /** The sums stay in 32 bits: an embedding is never rounded to eight bits. */
  fullyConnected(name: string, x: QuantisedMaps, { filter, bias }: FullyConnected): string {
    const graph = this.#graph;
    const [out = 0, width = 0] = filter.shape;
    const [source, , zero] = this.#read(x);
    const { scale } = x.quantisation();
    const whole = { shape: [out, width, 1, 1], data: scaleCells(filter, x) };
    const { data, scales } = quantiseFilter(whole, new Float64Array(out), scale);
    const columns = new Int8Array(data.length);
    for (let i = 0; i < data.length; i++) columns[(i % width) * out + Math.floor(i / width)] = data[i]!;
    const flat = graph.node(`${name}/flat`, "Flatten", [source], { axis: 1 });
    const inputs = [flat, graph.integers(`${name}/filter`, [width, out], columns), zero];
    const sums = graph.node(`${name}/sums`, "MatMulInteger", inputs);
    const floats = graph.node(`${name}/floats`, "Cast", [sums], { to: 1 });
    const factors = graph.floats(
      `${name}/factors`,
      [out],
      scales.map((each) => each * scale),
    );
    const products = graph.node(`${name}/products`, "Mul", [floats, factors]);
    return graph.node(name, "Add", [products, graph.floats(`${name}/bias`, [out], bias)]);
  }

  relu(x: QuantisedMaps): QuantisedMaps {
    const name = `${x.name}/relu`;
    return this.#deferred({ ...x, name }, x.write, () => [0, this.#rangeOf(name)[1]]);
  }

  /** Its range is known without a measurement. */
  relu6(x: QuantisedMaps): QuantisedMaps {
    return this.#deferred({ ...x, name: `${x.name}/relu6` }, x.write, () => [0, 6]);
  }

  add(name: string, a: QuantisedMaps, b: QuantisedMaps): QuantisedMaps {
    assert.deepEqual([a.channels, a.px], [b.channels, b.px], `${name} adds maps of different shapes`);
    return this.#deferred({ ...a, name }, (out, quantised) => {
      this.#graph.node(out, "QLinearAdd", [...this.#read(a), ...this.#read(b), ...quantised]);
    });
  }

  /** The maximum of numbers is one of them, so the quantisation does not change. */
  maxPool(name: string, x: QuantisedMaps, pool: Pool): QuantisedMaps {
    const { out, attributes } = poolWindow(name, x, pool);
    return this.#withSameQuantisation(x, out, ([source]) =>
      this.#graph.node(name, "MaxPool", [source], attributes),
    );
  }

  averagePool(name: string, x: QuantisedMaps, pool: Pool): QuantisedMaps {
    const { out, attributes } = poolWindow(name, x, pool);
    return this.#withSameQuantisation(x, out, ([source, scale, zero]) =>
      this.#graph.node(name, "QLinearAveragePool", [source, scale, zero, scale, zero], attributes),
    );
  }

  zeroPadded(x: QuantisedMaps, to: { channels: number; px: number }): QuantisedMaps {
    const out = { ...to, name: `${x.name}/padded` };
    return this.#withSameQuantisation(x, out, ([source, , zero]) => {
      const pads = this.#graph.ints(`${x.name}/pads`, endPads(x, to));
      this.#graph.node(out.name, "Pad", [source, pads, zero]);
    });
  }

  floats(x: QuantisedMaps): Maps {
    const name = this.#graph.node(`${x.name}/float`, "DequantizeLinear", this.#read(x));
    return { name, channels: x.channels, px: x.px };
  }

  /**
   * A PReLU of slopes up to 1 is the greater of x and slope * x, the line. Max takes the two in eight bits,
   * because they have one quantisation.
   */
  #greater(x: QuantisedMaps, line: QuantisedMaps, rangeOf: () => Range): QuantisedMaps {
    const write: Write = (out, quantised) => {
      x.write(x.name, quantised);
      this.#written.add(x.name);
      this.#parameters.set(x.name, quantised);
      line.write(line.name, quantised);
      this.#graph.node(out, "Max", [x.name, line.name]);
    };
    return this.#deferred({ ...x, name: `${x.name}/prelu` }, write, rangeOf);
  }

  #convolve(x: QuantisedMaps, layer: Pick<Convolution, "bias">, window: ConvolutionWindow): QuantisedMaps {
    const graph = this.#graph;
    const { filter, attributes } = window;
    return this.#deferred(window.out, (out, quantised) => {
      const bias =
        x.offsets === undefined ? new Float64Array(window.out.channels) : biasOfOffsets(filter, x.offsets);
      for (const [channel, value] of layer.bias?.entries() ?? []) bias[channel]! += value;
      const { data, scales, biases } = quantiseFilter(filter, bias, x.quantisation().scale);
      const channels = [scales.length];
      const inputs = [
        ...this.#read(x),
        graph.integers(`${out}/filter`, filter.shape, data),
        graph.floats(`${out}/filter/scales`, channels, scales),
        graph.integers(`${out}/filter/zeros`, channels, new Int8Array(scales.length)),
        ...quantised,
        graph.integers(`${out}/bias`, channels, biases),
      ];
      graph.node(out, "QLinearConv", inputs, attributes);
    });
  }

  #deferred(out: Maps, write: Write, rangeOf: () => Range = () => this.#rangeOf(out.name)): QuantisedMaps {
    const { name, channels, px, factors } = out;
    return { name, channels, px, factors, quantisation: () => quantisationOf(rangeOf()), write };
  }

  /** A layer with the quantisation of the one that it reads. */
  #withSameQuantisation(
    x: QuantisedMaps,
    out: Maps,
    write: (x: [string, string, string]) => void,
  ): QuantisedMaps {
    const source = this.#read(x);
    write(source);
    this.#written.add(out.name);
    this.#parameters.set(out.name, [source[1], source[2]]);
    return { ...out, quantisation: x.quantisation, write() {} };
  }

  /** The layer, its scale and its zero point, as operators take them. */
  #read(x: QuantisedMaps): [string, string, string] {
    const { scale, zero } = x.quantisation();
    let parameters = this.#parameters.get(x.name);
    if (parameters === undefined) {
      parameters = [
        this.#graph.floats(`${x.name}/scale`, [], Float32Array.of(scale)),
        this.#graph.integers(`${x.name}/zero`, [], Uint8Array.of(zero)),
      ];
      this.#parameters.set(x.name, parameters);
    }
    if (!this.#written.has(x.name)) {
      this.#written.add(x.name);
      x.write(x.name, parameters);
    }
    return [x.name, ...parameters];
  }
}

/** The range of a layer's numbers, measured by tools/int8-ranges. */
export type RangeOf = (layer: string) => Range;

/** The scales of the channels of a layer with a PReLU; undefined: all 1. */
export type ScalesOf = (layer: string) => readonly number[] | undefined;

/** Feature maps as uint8. */
type QuantisedMaps = Maps & {
  /** Called only when a layer reads the maps. */
  readonly quantisation: () => Quantisation;
  /** The offset of each channel that the common zero point leaves. */
  readonly offsets?: readonly number[];
  /** Adds the layer's operator to the graph, with this name, output scale and output zero point. */
  readonly write: Write;
};

type Write = (name: string, quantisation: readonly [scale: string, zero: string]) => void;
