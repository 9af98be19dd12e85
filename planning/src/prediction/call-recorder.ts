import { callResult } from "@faceline/batcher/simulation/metrics";
import type { Call } from "@faceline/batcher/simulation/simulation";

/** Counts how calls ended and keeps how long the answered ones took, 4 bytes each. */
export class CallRecorder {
  #answeredMs = new Float32Array(1_024);
  /** By limit in ms. */
  readonly #slower = new Map<number, { count: number; seen: number }>();
  readonly #counts = { calls: 0, answered: 0, shed: 0, late: 0, failed: 0 };
  readonly #stageSums: StageTimes = { serviceMs: 0, waitMs: 0, prepareMs: 0, runMs: 0 };

  record(call: Call): void {
    const counts = this.#counts;
    const { kind, durationMs } = callResult(call);
    counts.calls++;
    switch (kind) {
      case "good":
      case "late":
        this.#keep(durationMs);
        this.#addStages(call, durationMs);
        if (kind === "late") counts.late++;
        return;
      case "expired":
      case "unanswered":
        counts.late++;
        return;
      case "shed":
      case "failed":
        counts[kind]++;
    }
  }

  /** How many answered calls took longer. Each call is looked at once for each limit. */
  slowerThan(ms: number): number {
    const slower = this.#slower.get(ms) ?? { count: 0, seen: 0 };
    this.#slower.set(ms, slower);
    for (; slower.seen < this.#counts.answered; slower.seen++) {
      if (this.#answeredMs[slower.seen]! > ms) slower.count++;
    }
    return slower.count;
  }

  get counts(): Readonly<CallCounts> {
    return this.#counts;
  }

  /** Of the answered calls, in ms; 0 where none was. */
  quantiles(...shares: number[]): number[] {
    const sorted = this.#answeredMs.subarray(0, this.#counts.answered).toSorted();
    return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }

  /** Means of the answered calls: where their time went. */
  get stages(): StageTimes {
    const { serviceMs, waitMs, prepareMs, runMs } = this.#stageSums;
    const count = Math.max(1, this.#counts.answered);
    return {
      serviceMs: serviceMs / count,
      waitMs: waitMs / count,
      prepareMs: prepareMs / count,
      runMs: runMs / count,
    };
  }

  /** Of several answers the last counts, as in Server-Timing: the reply waited for it. */
  #addStages({ answers }: Call, durationMs: number): void {
    const { waitMs, prepareMs, runMs } = answers.at(-1)?.stages ?? { waitMs: 0, prepareMs: 0, runMs: 0 };
    const sums = this.#stageSums;
    sums.waitMs += waitMs;
    sums.prepareMs += prepareMs;
    sums.runMs += runMs;
    sums.serviceMs += durationMs - waitMs - prepareMs - runMs;
  }

  #keep(ms: number): void {
    const { answered } = this.#counts;
    if (answered === this.#answeredMs.length) {
      const larger = new Float32Array(2 * answered);
      larger.set(this.#answeredMs);
      this.#answeredMs = larger;
    }
    this.#answeredMs[answered] = ms;
    this.#counts.answered++;
  }
}

/**
 * Where the time of a call went, in ms. `serviceMs`: ingress and hops, all that the other stages are not.
 * `waitMs`: for a worker, and in the worker behind other batches.
 */
export type StageTimes = { serviceMs: number; waitMs: number; prepareMs: number; runMs: number };

type CallCounts = {
  calls: number;
  /** In time or late. */
  answered: number;
  /** Refused on arrival or dropped from the queue: HTTP 503. */
  shed: number;
  /** Answered after the deadline, or not at all: HTTP 504. */
  late: number;
  failed: number;
};
