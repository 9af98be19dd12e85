import type { Calibration } from "@faceline/models/catalogue-entry";
import { letterOfScale, scalesOfLetters } from "@faceline/models/convert/layers/quantisation";

/** The ranges of the numbers of a network's layers, over all inputs. */
export class MeasuredRanges {
  /** For each layer and channel, the least and the greatest number of each input. */
  readonly #extremes = new Map<string, Extremes[]>();

  /** `numbers` are those of one input, channel by channel. */
  add(layer: string, numbers: Float32Array, channels: number): void {
    const ofLayer =
      this.#extremes.get(layer) ?? Array.from({ length: channels }, () => ({ least: [], most: [] }));
    const cells = numbers.length / channels;
    for (const [channel, { least, most }] of ofLayer.entries()) {
      const range: [number, number] = [Infinity, -Infinity];
      for (const number of numbers.subarray(channel * cells, (channel + 1) * cells)) {
        if (number < range[0]) range[0] = number;
        if (number > range[1]) range[1] = number;
      }
      least.push(range[0]);
      most.push(range[1]);
    }
    this.#extremes.set(layer, ofLayer);
  }

  /**
   * Ranges in the form of the catalogue, of all channels, times the headroom, with four significant digits.
   * With a percentile, what fewer inputs have is clipped, and layers with a PReLU get scales that make their
   * channels alike: fully before a depthwise layer, which has a scale for each channel, and by half before
   * others, because a weight that grows takes steps from its neighbours.
   */
  within({ headroom, percentile }: Bounds): Pick<Calibration, "ranges" | "channel_scales"> {
    const ranges: Calibration["ranges"] = {};
    const letters: Record<string, string> = {};
    const boundsOf = (layer: string) => this.#extremes.get(layer)?.map((each) => clipped(each, percentile));
    for (const layer of this.#extremes.keys()) {
      const convolution = layer.replace(/\/prelu$/, "");
      let scales: readonly number[] | undefined;
      if (percentile !== undefined && this.#extremes.has(`${convolution}/prelu`)) {
        const [before, after] = [boundsOf(convolution), boundsOf(`${convolution}/prelu`)!];
        const widths = after.map(([least, most], i) => most - (before?.[i]![0] ?? least) || 1e-6);
        const median = widths.toSorted((a, b) => a - b)[widths.length >> 1]!;
        const power = before === undefined ? 0.5 : 1;
        letters[convolution] = widths.map((width) => letterOfScale((width / median) ** -power)).join("");
        scales = scalesOfLetters(letters[convolution]);
      }
      const bounds = boundsOf(layer)!.map(([least, most], i) =>
        [least, most].map((bound) => bound * (scales?.[i] ?? 1)),
      );
      const extended = (bound: number) => Number((bound * headroom).toPrecision(4));
      ranges[layer] = [
        extended(Math.min(...bounds.map(([least]) => least!))),
        extended(Math.max(...bounds.map(([, most]) => most!))),
      ];
    }
    return { ranges, ...(percentile !== undefined && { channel_scales: letters }) };
  }
}

/** The least and the greatest number of a channel, and zero, which a range always has. */
function clipped({ least, most }: Extremes, percentile = 100): readonly [number, number] {
  const at = Math.ceil((percentile / 100) * most.length) - 1;
  return [
    Math.min(0, least.toSorted((a, b) => b - a)[at]!),
    Math.max(0, most.toSorted((a, b) => a - b)[at]!),
  ];
}

type Bounds = Pick<Calibration, "headroom" | "percentile">;
type Extremes = { least: number[]; most: number[] };
