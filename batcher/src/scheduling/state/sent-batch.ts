import type { BatchId } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { BatchLoad } from "../queue/batch-load.ts";
import type { Lane } from "./lane.ts";

/** A batch that was sent and has not ended; only WorkerLoads changes it. */
export type SentBatch = {
  readonly id: BatchId;
  readonly lane: Lane;
  readonly tasks: readonly TaskId[];
  /** Undefined for an adopted batch: the costs of its tasks are unknown. */
  readonly load: BatchLoad | undefined;
  /** Instant from which it can run; for a light batch the instant at which it was sent. */
  readonly preparedAt: number;
  /** 1 for tasks that are sent for the first time. */
  readonly attempt: number;
  readonly worker: string;
  /** Another batcher sent it, before this one took over. */
  readonly adopted: boolean;
  readonly sentAt: number;
  readonly predictedRunMs: number;
  /** Its partition, and the end of its run as predicted when it was sent. Undefined for an adopted batch. */
  readonly dispatch: { partition: number; predictedEndAt: number } | undefined;
  /** Time since then in which the batcher itself could not run; the worker may not have run, either. */
  readonly discountedMs: number;
  /**
   * Instant at which no client waits for any of its tasks any more. An adopted batch has no tasks with a
   * known deadline until they are read.
   */
  readonly expiresAt: number;
  /** Its tasks were lost with a worker before and may have killed it: no batch is staged behind it. */
  readonly mayBePoison: boolean;
  readonly phase: BatchPhase;
};

/**
 * The life of a sent batch. It ends from every phase: by an answer, a failed run, or as undelivered.
 *
 *     travelling ──a report names it──► held ──its worker is silent, hung or no longer names it──► lost
 *     travelling ──its worker is silent, or `receiveBy` has passed──► lost
 */
type BatchPhase =
  /** No report has named it yet, so the worker's reported load does not include it. */
  | { kind: "travelling"; receiveBy: number }
  | { kind: "held" }
  /**
   * Its tasks wait for a retry. It may still end, and its answers are as good as those of the retry.
   * `confirmed`: a report has named it, so the hop to its worker was measured.
   */
  | { kind: "lost"; confirmed: boolean };

/**
 * Returns a batch that was just sent or, without `dispatch`, one that another batcher sent. `deadlines`:
 * those of its tasks that this batcher has read.
 */
export function newSentBatch({ deadlines, ...fields }: NewSentBatch): SentBatch {
  return {
    load: undefined,
    preparedAt: fields.sentAt,
    dispatch: undefined,
    mayBePoison: false,
    ...fields,
    adopted: fields.dispatch === undefined,
    predictedRunMs: fields.lane.estimates.runMs(fields.tasks.length),
    discountedMs: 0,
    expiresAt: expiryAfter(Math.max(...deadlines)),
  };
}

type Optional = "load" | "preparedAt" | "dispatch" | "mayBePoison";
type Derived = "adopted" | "predictedRunMs" | "discountedMs" | "expiresAt";
type NewSentBatch = Omit<SentBatch, Optional | Derived> &
  Partial<Pick<SentBatch, Optional>> & { deadlines: number[] };

/** Returns the instant at which a batch that no report has named counts as lost. */
export const receiveBy = (startAt: number, predictedRunMs: number): number =>
  startAt + overrunMs(predictedRunMs);

/** Returns by how many ms a run may exceed its prediction before its worker counts as hung. */
export const overrunMs = (predictedRunMs: number): number => Math.max(overrunMinMs, 3 * predictedRunMs);
const overrunMinMs = 2_000;

/**
 * Returns by how many ms a preparation may exceed its prediction before its worker counts as hung. The
 * slowest image that is accepted takes up to 2.4 s of a core, and two may be decoded at a time.
 */
export const prepareOverrunMs = (predictedMs: number): number =>
  Math.max(prepareOverrunMinMs, 3 * predictedMs);
const prepareOverrunMinMs = 5_000;

/** Returns when a batch expires whose last task is due then. A report may still say how it has ended. */
export const expiryAfter = (deadlineAt: number): number => deadlineAt + expiryGraceMs;
const expiryGraceMs = 1_000;
