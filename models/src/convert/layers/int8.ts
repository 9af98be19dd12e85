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
import { type Placed, padsTo, placeConvolution, placeDepthwise, placePool } from "./window.ts";

/**
 * Layers in eight bits.
 *
 * A layer is written when something reads it, for only then is it known whether a relu follows: and a relu is
 * no layer of its own here, but a zero point of 0 at the one before it, which clips what is negative for
 * nothing.
 */
export class Int8Layers implements Layers<QuantisedMaps> {
  readonly #graph: Graph;
  readonly #rangeOf: RangeOf;
  readonly #written = new Set<string>();
  /** Names of the scale and the zero point of every layer that was read. */
  readonly #parameters = new Map<string, [scale: string, zero: string]>();

  constructor(graph: Graph, rangeOf: RangeOf) {
    this.#graph = graph;
    this.#rangeOf = rangeOf;
  }

  /**
   * The bytes as they are: one zero point stands for three means, and what that leaves of each is added by
   * the bias of the first convolution.
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
    return this.#convolve(x, layer, placeConvolution(name, x, layer));
  }

  depthwise(name: string, x: QuantisedMaps, layer: Convolution): QuantisedMaps {
    return this.#convolve(x, layer, placeDepthwise(name, x, layer));
  }

  relu(x: QuantisedMaps): QuantisedMaps {
    const name = `${x.name}/relu`;
    return this.#planned({ ...x, name }, x.write, () => [0, this.#rangeOf(name)[1]]);
  }

  /** Both ends are known without a look at any picture. */
  relu6(x: QuantisedMaps): QuantisedMaps {
    return this.#planned({ ...x, name: `${x.name}/relu6` }, x.write, () => [0, 6]);
  }

  add(name: string, a: QuantisedMaps, b: QuantisedMaps): QuantisedMaps {
    assert.deepEqual([a.channels, a.px], [b.channels, b.px], `${name} adds maps of different shapes`);
    return this.#planned({ ...a, name }, (out, quantised) => {
      this.#graph.node(out, "QLinearAdd", [...this.#read(a), ...this.#read(b), ...quantised]);
    });
  }

  /** The greatest of numbers is one of them: the quantisation stays. */
  maxPool(name: string, x: QuantisedMaps, pool: Pool): QuantisedMaps {
    const { out, attributes } = placePool(name, x, pool);
    return this.#requantised(x, out, ([source]) => this.#graph.node(name, "MaxPool", [source], attributes));
  }

  averagePool(name: string, x: QuantisedMaps, pool: Pool): QuantisedMaps {
    const { out, attributes } = placePool(name, x, pool);
    return this.#requantised(x, out, ([source, scale, zero]) =>
      this.#graph.node(name, "QLinearAveragePool", [source, scale, zero, scale, zero], attributes),
    );
  }

  grown(x: QuantisedMaps, to: { channels: number; px: number }): QuantisedMaps {
    const out = { ...to, name: `${x.name}/padded` };
    return this.#requantised(x, out, ([source, , zero]) => {
      const pads = this.#graph.ints(`${x.name}/pads`, padsTo(x, to));
      this.#graph.node(out.name, "Pad", [source, pads, zero]);
    });
  }

  floats(x: QuantisedMaps): Maps {
    const name = this.#graph.node(`${x.name}/float`, "DequantizeLinear", this.#read(x));
    return { name, channels: x.channels, px: x.px };
  }

  #convolve(x: QuantisedMaps, layer: Convolution, placed: Placed): QuantisedMaps {
    const graph = this.#graph;
    const { filter, attributes } = placed;
    return this.#planned(placed.out, (out, quantised) => {
      const bias =
        x.offsets === undefined ? new Float64Array(placed.out.channels) : biasOfOffsets(filter, x.offsets);
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

  #planned(out: Maps, write: Write, rangeOf: () => Range = () => this.#rangeOf(out.name)): QuantisedMaps {
    const { name, channels, px } = out;
    return { name, channels, px, quantisation: () => quantisationOf(rangeOf()), write };
  }

  /** Another layer with the quantisation of the one that it reads. */
  #requantised(x: QuantisedMaps, out: Maps, write: (x: [string, string, string]) => void): QuantisedMaps {
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

/** What the numbers of a layer reach: measured, see `calibrate`. */
export type RangeOf = (layer: string) => Range;

/** Maps of uint8. */
export type QuantisedMaps = Maps & {
  /** Asked only when something reads the maps. */
  readonly quantisation: () => Quantisation;
  /** What each channel is short of, where the zero point is not quite its mean. */
  readonly offsets?: readonly number[];
  /**
   * Adds the layer's operator to the graph, by this name and with this scale and zero point of what it gives.
   */
  readonly write: Write;
};

type Write = (name: string, quantisation: readonly [scale: string, zero: string]) => void;
