import type { BatchId } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { ServiceClass } from "@faceline/contracts/wire/task";
import type { BatchLoad } from "../queue/batch-load.ts";
import type { Lane } from "./lane.ts";

/** A batch that was sent and has not ended. */
export type SentBatch = {
  id: BatchId;
  lane: Lane;
  /** Of all its tasks. */
  serviceClass: ServiceClass;
  tasks: TaskId[];
  /** Undefined for an adopted batch: the costs of its tasks are not known. */
  load: BatchLoad | undefined;
  /** Instant from which it can run; of a batch that is not heavy the instant at which it was sent. */
  preparedAt: number;
  /** 1 for tasks that are sent for the first time. */
  attempt: number;
  worker: string;
  /** Another batcher sent it, before this one took over. */
  adopted: boolean;
  sentAt: number;
  predictedRunMs: number;
  /** Where it was sent to, and the end of its run as predicted then. Undefined for an adopted batch. */
  dispatch: { partition: number; predictedEndAt: number } | undefined;
  /**
   * Extra run time that is tolerated because its images may show many faces; predictions count images only.
   */
  facesAllowanceMs: number;
  /** How long it has been sent in which the batcher itself could not run: its worker may not have, either. */
  discountedMs: number;
  /**
   * Instant at which no client waits for any of its tasks any more. An adopted batch has no tasks with a
   * known deadline until they are read.
   */
  expiresAt: number;
  /** Its tasks were lost with a worker before and may have killed it: no batch is staged behind it. */
  mayBePoison: boolean;
  phase: BatchPhase;
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

/** Returns the instant at which a batch that no report has named counts as lost. */
export const receiveBy = (startAt: number, predictedRunMs: number): number =>
  startAt + overrunMs(predictedRunMs);

/** Returns by how many ms a run may exceed its prediction before its worker counts as hung. */
export const overrunMs = (predictedRunMs: number): number => Math.max(overrunMinMs, 3 * predictedRunMs);
const overrunMinMs = 2_000;

/**
 * Returns by how many ms a preparation may exceed its prediction before its worker counts as hung. The
 * slowest picture that is accepted takes up to 2.4 s of a core, and two may be decoded at a time.
 */
export const prepareOverrunMs = (predictedMs: number): number =>
  Math.max(prepareOverrunMinMs, 3 * predictedMs);
const prepareOverrunMinMs = 5_000;

/** Returns when a batch expires whose last task is due then. A report may still say how it has ended. */
export const expiryAfter = (deadlineAt: number): number => deadlineAt + expiryGraceMs;
const expiryGraceMs = 1_000;

/** Returns the run time in ms that so many faces may need beyond the prediction. */
export const facesAllowanceMs = (facesMax: number): number => faceMs * facesMax;
/** Aligning and embedding one face on a slow core. */
const faceMs = 30;
