import assert from "node:assert/strict";
import type { Graph } from "../../onnx/graph.ts";
import type { Convolution, Layers, Maps, Normalisation, Pool } from "./layers.ts";
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
  readonly #written = new Set<string>();
  /** Names of the scale and the zero point of every layer that another one reads. */
  readonly #parameters = new Map<string, [scale: string, zero: string]>();

  constructor(graph: Graph, rangeOf: RangeOf) {
    this.#graph = graph;
    this.#rangeOf = rangeOf;
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

  convolution(name: string, x: QuantisedMaps, layer: Convolution): QuantisedMaps {
    return this.#convolve(x, layer, convolutionWindow(name, x, layer));
  }

  depthwise(name: string, x: QuantisedMaps, layer: Convolution): QuantisedMaps {
    return this.#convolve(x, layer, depthwiseWindow(name, x, layer));
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

  #convolve(x: QuantisedMaps, layer: Convolution, window: ConvolutionWindow): QuantisedMaps {
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
    const { name, channels, px } = out;
    return { name, channels, px, quantisation: () => quantisationOf(rangeOf()), write };
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

/** The range of a layer's numbers, measured by inference/int8-ranges. */
export type RangeOf = (layer: string) => Range;

/** Maps of uint8. */
type QuantisedMaps = Maps & {
  /** Called only when a layer reads the maps. */
  readonly quantisation: () => Quantisation;
  /** The offset of each channel that the common zero point leaves. */
  readonly offsets?: readonly number[];
  /** Adds the layer's operator to the graph, with this name, output scale and output zero point. */
  readonly write: Write;
};

type Write = (name: string, quantisation: readonly [scale: string, zero: string]) => void;
