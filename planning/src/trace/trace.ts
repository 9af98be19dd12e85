import type { Arrival, Arrivals } from "@faceline/batcher/simulation/arrivals";
import type { LaneId } from "@faceline/contracts/wire/ids";

/**
 * Calls in the order of their arrival, without what they contained: when, whose (a number), for which lane,
 * how many pictures of which cost, and until when. They lie in flat arrays of shared memory, 25 bytes a call
 * and 4 a picture, so that several threads can read a million of them.
 */
export class Trace {
  readonly columns: TraceColumns;

  constructor(columns: TraceColumns) {
    this.columns = columns;
  }

  get calls(): number {
    return this.columns.atMs.length;
  }

  get pictures(): number {
    return this.columns.cost.length;
  }

  /** From the first arrival to the last. */
  get durationMs(): number {
    const { atMs } = this.columns;
    return atMs.length === 0 ? 0 : atMs.at(-1)! - atMs[0]!;
  }

  /** Index of the first call at or after this instant. */
  indexAt(instantMs: number): number {
    const { atMs } = this.columns;
    let [from, until] = [0, atMs.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if (atMs[middle]! < instantMs) from = middle + 1;
      else until = middle;
    }
    return from;
  }

  picturesOf(call: number): number {
    return this.#pictureEnd(call) - this.columns.firstPicture[call]!;
  }

  /**
   * Returns the calls from index `from` to below `until` as arrivals for a simulation, the first at
   * instant 0. `change` may give them another deadline or rate.
   */
  arrivals(from: number, until: number, change: TrafficChange = {}): Arrivals {
    const { atMs, tenant, lane, timeBudgetMs, firstPicture, cost, lanes } = this.columns;
    const { deadlineMs, rateFactor = 1 } = change;
    const startMs = atMs[from] ?? 0;
    return {
      at: (index): Arrival | undefined => {
        const call = from + index;
        if (call >= until) return undefined;
        const pictures = cost.subarray(firstPicture[call], this.#pictureEnd(call));
        return {
          atMs: (atMs[call]! - startMs) / rateFactor,
          tenant: `tenant-${tenant[call]}`,
          tasks: pictures.length,
          costs: [...pictures],
          lane: lanes[lane[call]!]!,
          timeBudgetMs: deadlineMs ?? timeBudgetMs[call]!,
        };
      },
    };
  }

  #pictureEnd(call: number): number {
    return this.columns.firstPicture[call + 1] ?? this.columns.cost.length;
  }
}

/** Collects the calls of a trace. They must come in the order of time. */
export class TraceBuilder {
  readonly #lanes: LaneId[] = [];
  readonly #calls: TraceCall[] = [];

  get calls(): number {
    return this.#calls.length;
  }

  add(call: TraceCall): void {
    if (!this.#lanes.includes(call.lane)) this.#lanes.push(call.lane);
    this.#calls.push(call);
  }

  build(): Trace {
    const calls = this.#calls;
    const pictures = calls.reduce((sum, { costs }) => sum + costs.length, 0);
    const columns: TraceColumns = {
      lanes: this.#lanes,
      atMs: new Float64Array(new SharedArrayBuffer(8 * calls.length)),
      timeBudgetMs: new Float64Array(new SharedArrayBuffer(8 * calls.length)),
      tenant: new Uint32Array(new SharedArrayBuffer(4 * calls.length)),
      lane: new Uint8Array(new SharedArrayBuffer(calls.length)),
      firstPicture: new Uint32Array(new SharedArrayBuffer(4 * calls.length)),
      cost: new Float32Array(new SharedArrayBuffer(4 * pictures)),
    };
    let picture = 0;
    for (const [index, call] of calls.entries()) {
      columns.atMs[index] = call.atMs;
      columns.timeBudgetMs[index] = call.timeBudgetMs;
      columns.tenant[index] = call.tenant;
      columns.lane[index] = this.#lanes.indexOf(call.lane);
      columns.firstPicture[index] = picture;
      columns.cost.set(call.costs, picture);
      picture += call.costs.length;
    }
    return new Trace(columns);
  }
}

/** What-ifs. `deadlineMs`: of every call. `rateFactor`: how many times as fast the calls come. */
type TrafficChange = { deadlineMs?: number; rateFactor?: number };

type TraceCall = {
  /** Since the start of the trace. */
  atMs: number;
  tenant: number;
  lane: LaneId;
  timeBudgetMs: number;
  /** Of decoding each picture, see decodingCost. */
  costs: readonly number[];
};

/** Can be sent to another thread as it is. */
export type TraceColumns = {
  lanes: LaneId[];
  atMs: Float64Array<SharedArrayBuffer>;
  timeBudgetMs: Float64Array<SharedArrayBuffer>;
  tenant: Uint32Array<SharedArrayBuffer>;
  /** Index in `lanes`. */
  lane: Uint8Array<SharedArrayBuffer>;
  /** Index of the first picture of each call in `cost`. */
  firstPicture: Uint32Array<SharedArrayBuffer>;
  cost: Float32Array<SharedArrayBuffer>;
};
