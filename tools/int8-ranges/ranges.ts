import type { Calibration } from "@faceline/models/catalogue-entry";

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
      const own = numbers.subarray(channel * cells, (channel + 1) * cells);
      least.push(own.reduce((a, b) => Math.min(a, b)));
      most.push(own.reduce((a, b) => Math.max(a, b)));
    }
    this.#extremes.set(layer, ofLayer);
  }

  /** Ranges in the form of the catalogue: of all channels, times the headroom, with four significant digits. */
  within({ headroom, percentile = 100 }: Pick<Calibration, "headroom" | "percentile">): Calibration["ranges"] {
    const bound = (numbers: readonly number[]) => Number((Math.max(0, ...numbers) * headroom).toPrecision(4));
    const clipped = (numbers: readonly number[]): number => {
      const sorted = numbers.toSorted((a, b) => a - b);
      return sorted[Math.ceil((percentile / 100) * sorted.length) - 1]!;
    };
    return Object.fromEntries(
      [...this.#extremes].map(([layer, channels]) => [
        layer,
        [
          0 - bound(channels.map(({ least }) => clipped(least.map((number) => -number)))),
          bound(channels.map(({ most }) => clipped(most))),
        ],
      ]),
    );
  }
}

type Extremes = { least: number[]; most: number[] };

/** Counts the numbers of each layer that lie beyond the catalogue's range, and so are clipped in int8. */
export class ClippedShares {
  readonly #ranges: Calibration["ranges"];
  readonly #layers = new Map<string, { clipped: number; total: number }>();

  constructor(ranges: Calibration["ranges"]) {
    this.#ranges = ranges;
  }

  add(layer: string, numbers: Float32Array): void {
    const range = this.#ranges[layer];
    if (range === undefined)
      throw new Error(`the catalogue has no range of ${layer} yet; --write stores one`);
    const [least, most] = range;
    const counts = this.#layers.get(layer) ?? { clipped: 0, total: 0 };
    counts.total += numbers.length;
    for (const number of numbers) if (number < least || number > most) counts.clipped++;
    this.#layers.set(layer, counts);
  }

  /** Shares from 0 to 1: of the layer that clips most, and of all layers together. */
  shares(): { layer: string; worst: number; all: number } {
    const shares = [...this.#layers].map(([layer, { clipped, total }]) => ({
      layer,
      worst: clipped / total,
    }));
    const most = shares.reduce((a, b) => (b.worst > a.worst ? b : a), { layer: "none", worst: 0 });
    let [clipped, total] = [0, 0];
    for (const each of this.#layers.values()) {
      clipped += each.clipped;
      total += each.total;
    }
    return { ...most, all: total === 0 ? 0 : clipped / total };
  }
}
