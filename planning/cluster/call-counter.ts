// Covered by ./simulate-cluster.test.ts.
import { LatencyHistogram } from "../src/prediction/latency-histogram.ts";
import type { PendingCall } from "./simulated-pool.ts";

/** Counts how the calls of a cluster end, by the window of 100 ms in which they arrived. */
export class CallCounter {
  readonly #parts: CounterParts;
  readonly #latencies = new LatencyHistogram();
  readonly #windows: Window[];
  #answered = 0;
  #refused = 0;
  #calls = 0;

  constructor(parts: CounterParts) {
    this.#parts = parts;
    this.#windows = Array.from({ length: Math.ceil(parts.forMs / windowMs) }, () => ({
      calls: 0,
      answered: 0,
      sent: parts.accelerators.map(() => 0),
    }));
  }

  arrived(call: PendingCall): void {
    this.#windowOf(call.arrivedAt).calls++;
    if (this.#counts(call)) this.#calls++;
  }

  /** Tasks were sent to a pool. */
  sent(pool: number, tasks: number, now: number): void {
    this.#windowOf(now).sent[pool]! += tasks;
  }

  /** A call that is answered after its deadline, or never, counts as lost. */
  ended(call: PendingCall, kind: "answered" | "refused", now: number): void {
    if (now > call.deadlineAt) return;
    if (kind === "answered") this.#windowOf(call.arrivedAt).answered++;
    if (!this.#counts(call)) return;
    if (kind === "refused") this.#refused++;
    else {
      this.#answered++;
      this.#latencies.add(now - call.arrivedAt);
    }
  }

  result(): ClusterResult {
    return {
      calls: this.#calls,
      answered: this.#answered / this.#calls,
      refused: this.#refused / this.#calls,
      lost: 1 - (this.#answered + this.#refused) / this.#calls,
      p50Ms: this.#latencies.quantile(0.5),
      p99Ms: this.#latencies.quantile(0.99),
      mostSent: Math.max(...this.#countedWindows().map((window) => this.#mostSent(window))),
      restoredAfterMs: this.#restoredAfterMs(),
    };
  }

  /** Of the tasks per accelerator that pools were sent in a window, the most, as a multiple of the mean. */
  #mostSent({ sent }: Window): number {
    const { accelerators } = this.#parts;
    const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
    return (
      Math.max(...sent.map((tasks, pool) => tasks / accelerators[pool]!)) /
      (total(sent) / total(accelerators))
    );
  }

  /** From the loss to the end of the last window in which clearly less was answered than possible. */
  #restoredAfterMs(): number | undefined {
    const { lossMs, possibleAfter } = this.#parts;
    if (lossMs === undefined) return undefined;
    const last = this.#windows.findLastIndex(
      ({ calls, answered }) => answered < 0.97 * possibleAfter * calls,
    );
    return Math.max(0, (last + 1) * windowMs - lossMs);
  }

  #countedWindows(): Window[] {
    return this.#windows.slice(Math.ceil(this.#countedFromMs / windowMs));
  }

  get #countedFromMs(): number {
    return this.#parts.lossMs ?? this.#parts.settledMs;
  }

  #counts = ({ arrivedAt }: PendingCall): boolean => arrivedAt - this.#parts.startAt >= this.#countedFromMs;

  #windowOf(at: number): Window {
    return this.#windows[Math.floor((at - this.#parts.startAt) / windowMs)]!;
  }
}

const windowMs = 100;

type Window = { calls: number; answered: number; sent: number[] };

type CounterParts = {
  startAt: number;
  /** Calls arrive until then. */
  forMs: number;
  /** Calls before are not counted; nor are calls before a loss. */
  settledMs: number;
  lossMs: number | undefined;
  /** Of each pool. */
  accelerators: readonly number[];
  /** The share of calls for which what is left after the loss is enough. */
  possibleAfter: number;
};

/** Shares are of all calls that count. */
export type ClusterResult = {
  calls: number;
  answered: number;
  refused: number;
  /** Neither answered nor refused within the deadline. */
  lost: number;
  p50Ms: number;
  p99Ms: number;
  /** The most tasks for each accelerator that a pool was sent in 100 ms, as a multiple of the mean. */
  mostSent: number;
  /** From a loss until 97 % of what is then possible are answered again, and stay so. */
  restoredAfterMs: number | undefined;
};
