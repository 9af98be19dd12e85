import type { Batch } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import { RecentCounts } from "@faceline/runtime/live/recent-counts";
import type { SchedulerObserver } from "../scheduler-loop.ts";
import type { SentBatch } from "../scheduling/state/sent-batch.ts";
import type { BatchEnd, Move, State } from "../scheduling/state/state.ts";

/** Remembers the last minutes of the scheduler for the live page, in a bounded memory and without a timer. */
export class SchedulerHistory implements SchedulerObserver {
  readonly counts = new RecentCounts<SchedulerCount>(500);
  readonly #state: State;
  /** Run times of each worker ÷ those expected for lane and size, as an exponentially weighted mean. */
  readonly #paces = new Map<string, { ratio: number; runs: number }>();

  constructor(state: State) {
    this.#state = state;
  }

  afterDecision(moves: Move[], now: number): void {
    for (const move of moves) {
      if (move.kind === "dispatch") this.#addDispatch(move.batch, now);
      else if (move.kind === "batch_ended") this.#addEnd(move.sent, move.end, now);
      else if (move.kind === "answer") {
        const { outcome } = move;
        this.counts.add(outcome.kind === "expired" ? outcome.kind : outcome.reason, 1, now);
      }
    }
    const waiting = this.#state.lanes.values().reduce((sum, { waitingCount }) => sum + waitingCount, 0);
    this.counts.raise("most waiting", waiting, now);
  }

  /**
   * Returns the run times of a worker ÷ those of the others, each compared with the time that was expected
   * for its lane and size; null while too few runs are known.
   */
  runRatio(worker: string): number | null {
    const known = [...this.#paces].filter(([, { runs }]) => runs >= comparedRunsMin);
    const own = known.find(([id]) => id === worker)?.[1];
    const others = known.filter(([id]) => id !== worker && this.#state.workers.has(id));
    if (own === undefined || others.length === 0) return null;
    return own.ratio / (others.reduce((sum, [, { ratio }]) => sum + ratio, 0) / others.length);
  }

  #addDispatch({ lane, tasks }: Batch, now: number): void {
    this.counts.add("batches", 1, now);
    this.counts.add("tasks", tasks.length, now);
    this.counts.add(`tasks of ${lane}`, tasks.length, now);
    this.counts.raise("largest batch", tasks.length, now);
  }

  #addEnd({ worker, lane }: SentBatch, { kind, finished }: BatchEnd, now: number): void {
    if (kind === "failed") this.counts.add(`failed by ${worker}`, 1, now);
    if (kind === "lost" || kind === "unreceived") this.counts.add(`lost by ${worker}`, 1, now);
    if (kind !== "answered" || finished === undefined || finished.size === 0) return;
    const ratio = finished.runMs / lane.estimates.run.meanMs(lane.estimates.paddedSize(finished.size));
    const pace = this.#paces.get(worker);
    if (pace === undefined) {
      for (const id of this.#paces.keys()) if (!this.#state.workers.has(id)) this.#paces.delete(id);
      this.#paces.set(worker, { ratio, runs: 1 });
    } else {
      pace.ratio += 0.1 * (ratio - pace.ratio);
      pace.runs++;
    }
  }
}

/** A single long run does not make a worker slow. */
const comparedRunsMin = 8;

type SchedulerCount =
  | "tasks"
  | `tasks of ${LaneId}`
  | "batches"
  | "largest batch"
  | "most waiting"
  | UnservedReason
  | `${"failed" | "lost"} by ${string}`;

/** Why a task ended without a run. */
export type UnservedReason = ShedReason | "expired" | (typeof failureReasons)[number];
