import type { Calibration } from "@faceline/models/catalogue";

/** What the numbers of a network's layers reach, over everything that was put in. */
export class Reach {
  readonly #ranges = new Map<string, [least: number, most: number]>();

  see(layer: string, numbers: Float32Array): void {
    const range = this.#ranges.get(layer) ?? [0, 0];
    for (const number of numbers) {
      if (number < range[0]) range[0] = number;
      if (number > range[1]) range[1] = number;
    }
    this.#ranges.set(layer, range);
  }

  /** As the catalogue keeps them: further by the headroom, and with four digits. */
  ranges(headroom: number): Calibration["ranges"] {
    const further = (bound: number) => Number((bound * headroom).toPrecision(4));
    return Object.fromEntries(
      [...this.#ranges].map(([layer, [least, most]]) => [layer, [further(least), further(most)]]),
    );
  }
}

/** How many numbers of each layer lie beyond the range that the catalogue has of it, and are clipped in int8. */
export class Clipping {
  readonly #ranges: Calibration["ranges"];
  readonly #layers = new Map<string, { clipped: number; of: number }>();

  constructor(ranges: Calibration["ranges"]) {
    this.#ranges = ranges;
  }

  see(layer: string, numbers: Float32Array): void {
    const range = this.#ranges[layer];
    if (range === undefined) throw new Error(`the catalogue has no range of ${layer} yet: --write makes it`);
    const [least, most] = range;
    const seen = this.#layers.get(layer) ?? { clipped: 0, of: 0 };
    seen.of += numbers.length;
    for (const number of numbers) if (number < least || number > most) seen.clipped++;
    this.#layers.set(layer, seen);
  }

  /** Shares of 1; the layer that clips most, and all of them together. */
  shares(): { layer: string; worst: number; all: number } {
    const shares = [...this.#layers].map(([layer, { clipped, of }]) => ({ layer, worst: clipped / of }));
    const most = shares.reduce((a, b) => (b.worst > a.worst ? b : a), { layer: "none", worst: 0 });
    let [clipped, of] = [0, 0];
    for (const each of this.#layers.values()) {
      clipped += each.clipped;
      of += each.of;
    }
    return { ...most, all: of === 0 ? 0 : clipped / of };
  }
}
