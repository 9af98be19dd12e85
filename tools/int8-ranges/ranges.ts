import type { Calibration } from "@faceline/models/catalogue-entry";

/** The ranges of the numbers of a network's layers, over all inputs. */
export class MeasuredRanges {
  readonly #ranges = new Map<string, [least: number, most: number]>();

  add(layer: string, numbers: Float32Array): void {
    const range = this.#ranges.get(layer) ?? [0, 0];
    for (const number of numbers) {
      if (number < range[0]) range[0] = number;
      if (number > range[1]) range[1] = number;
    }
    this.#ranges.set(layer, range);
  }

  /** Ranges in the form of the catalogue: multiplied by the headroom, with four significant digits. */
  withHeadroom(headroom: number): Calibration["ranges"] {
    const extended = (bound: number) => Number((bound * headroom).toPrecision(4));
    return Object.fromEntries(
      [...this.#ranges].map(([layer, [least, most]]) => [layer, [extended(least), extended(most)]]),
    );
  }
}

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
