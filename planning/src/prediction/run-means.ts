import type { LaneId } from "@faceline/contracts/wire/ids";

// Covered by predict.test.ts.

/** Means of what runs took, by lane and by the size that their batches were padded to. */
export class RunMeans {
  readonly #lanes = new Map<LaneId, Map<number, { count: number; ms: number }>>();

  add(lane: LaneId, size: number, ms: number): void {
    const sizes = this.#lanes.get(lane) ?? new Map<number, { count: number; ms: number }>();
    const before = sizes.get(size) ?? { count: 0, ms: 0 };
    this.#lanes.set(lane, sizes.set(size, { count: before.count + 1, ms: before.ms + ms }));
  }

  byLane(): RunMeansByLane {
    return Object.fromEntries(
      this.#lanes
        .entries()
        .map(([lane, sizes]) => [
          lane,
          Object.fromEntries(sizes.entries().map(([size, { count, ms }]) => [size, ms / count])),
        ]),
    );
  }
}

/** In ms. */
export type RunMeansByLane = Readonly<Record<LaneId, Readonly<Record<number, number>>>>;
