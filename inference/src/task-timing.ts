// Tested by worker.test.ts.
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { noWait } from "@faceline/contracts/wire/timing";
import type { TaskEnd } from "./answer-outbox.ts";
import type { PreparedBatch } from "./preparation.ts";

/** Adds to the waits of a task what this worker measured. */
export function timingOf(
  { waited = noWait }: BatchTask,
  { sentAt, receivedAt }: ReceivedBatch,
  prepared: Pick<PreparedBatch, "startedAt" | "endedAt">,
  { startedAt, ranAt }: { startedAt: number; ranAt: number },
): TaskEnd["timing"] {
  const behindOthersMs = prepared.startedAt - receivedAt + (startedAt - prepared.endedAt);
  return {
    ...waited,
    hopMs: waited.hopMs + (receivedAt - sentAt),
    queueMs: waited.queueMs + behindOthersMs,
    prepareMs: prepared.endedAt - prepared.startedAt,
    runMs: ranAt - startedAt,
  };
}

export type ReceivedBatch = Batch & { receivedAt: number };
