import { callResult } from "@faceline/simulation/metrics";
import type { Call } from "@faceline/simulation/simulated-clients";
import { LatencyHistogram } from "./latency-histogram.ts";

/** Counts how calls ended and how long the answered ones took, in memory that does not grow with them. */
export class CallRecorder {
  readonly #answeredMs = new LatencyHistogram();
  /** How many answered calls took longer than each limit. */
  readonly #limits: { ms: number; slower: number }[];
  readonly #counts = { calls: 0, answered: 0, shed: 0, late: 0, failed: 0 };
  readonly #stageSums: StageTimes = { serviceMs: 0, waitMs: 0, prepareMs: 0, runMs: 0 };

  constructor(limitsMs: readonly number[] = []) {
    this.#limits = limitsMs.map((ms) => ({ ms, slower: 0 }));
  }

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

  /** How many answered calls took longer than a limit of the constructor. */
  slowerThan(limitMs: number): number {
    const limit = this.#limits.find(({ ms }) => ms === limitMs);
    if (limit === undefined) throw new RangeError(`calls slower than ${limitMs} ms were not counted`);
    return limit.slower;
  }

  get counts(): Readonly<CallCounts> {
    return this.#counts;
  }

  /** Quantiles of the answered calls, in ms; 0 if none was. */
  quantiles(...shares: number[]): number[] {
    return shares.map((share) => this.#answeredMs.quantile(share));
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

  /** The last of several answers counts, as in Server-Timing: the response waited for it. */
  #addStages({ answers }: Call, durationMs: number): void {
    const { waitMs, prepareMs, runMs } = answers.at(-1)?.stages ?? { waitMs: 0, prepareMs: 0, runMs: 0 };
    const sums = this.#stageSums;
    sums.waitMs += waitMs;
    sums.prepareMs += prepareMs;
    sums.runMs += runMs;
    sums.serviceMs += durationMs - waitMs - prepareMs - runMs;
  }

  #keep(ms: number): void {
    this.#answeredMs.add(ms);
    for (const limit of this.#limits) if (ms > limit.ms) limit.slower++;
    this.#counts.answered++;
  }
}

/**
 * Parts of the time of a call, in ms. `serviceMs`: ingress and hops, all that the other stages are not.
 * `waitMs`: for a worker, and in the worker behind other batches.
 */
export type StageTimes = { serviceMs: number; waitMs: number; prepareMs: number; runMs: number };

type CallCounts = {
  calls: number;
  /** Answered in time or late. */
  answered: number;
  /** Refused on arrival or dropped from the queue: HTTP 503. */
  shed: number;
  /** Answered after the deadline, or not at all: HTTP 504. */
  late: number;
  failed: number;
};
