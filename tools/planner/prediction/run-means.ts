import type { LaneId } from "@faceline/contracts/wire/ids";

/** Means of what runs took, in ms, by the size that their batches were padded to. */
export class RunMeans {
  readonly #sizes = new Map<number, { count: number; ms: number }>();

  add(size: number, ms: number): void {
    const before = this.#sizes.get(size) ?? { count: 0, ms: 0 };
    this.#sizes.set(size, { count: before.count + 1, ms: before.ms + ms });
  }

  bySize(): Readonly<Record<number, number>> {
    return Object.fromEntries(this.#sizes.entries().map(([size, { count, ms }]) => [size, ms / count]));
  }
}

/** The same, of each lane. */
export class LaneRunMeans {
  readonly #lanes = new Map<LaneId, RunMeans>();

  add(lane: LaneId, size: number, ms: number): void {
    const means = this.#lanes.get(lane) ?? new RunMeans();
    this.#lanes.set(lane, means);
    means.add(size, ms);
  }

  byLane(): RunMeansByLane {
    return Object.fromEntries(this.#lanes.entries().map(([lane, means]) => [lane, means.bySize()]));
  }
}

export type RunMeansByLane = Readonly<Record<LaneId, Readonly<Record<number, number>>>>;
