// Tested by decide.test.ts (loss, hand-over, missing confirmation) and capacity/recovery.sim.test.ts.
import type { BatchId } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Lane } from "./lane.ts";

/** A batch that was sent and has not ended. */
export type SentBatch = {
  id: BatchId;
  lane: Lane;
  tasks: TaskId[];
  /** 1 for tasks that are sent for the first time. */
  attempt: number;
  worker: string;
  /** Another batcher sent it, before this one took over. */
  adopted: boolean;
  sentAt: number;
  predictedRunMs: number;
  /**
   * Extra run time that is tolerated because its images may show many faces; predictions count images only.
   */
  facesAllowanceMs: number;
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

/** Returns the run time in ms that the faces of these images may need beyond the prediction. */
export const facesAllowanceMs = (tasks: { options: { facesMax: number } }[]): number =>
  tasks.reduce((sum, { options }) => sum + faceMs * options.facesMax, 0);
/** Aligning and embedding one face on a slow core. */
const faceMs = 30;
