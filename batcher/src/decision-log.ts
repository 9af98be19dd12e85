import type { SpanContext } from "@opentelemetry/api";
import type { Report } from "@faceline/contracts/wire/report";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { requestIdsOf, spanIds } from "@faceline/runtime/log-ids";
import type { SentBatch } from "./scheduling/state/sent-batch.ts";
import type { BatchEnd } from "./scheduling/state/state.ts";

/**
 * Logs a batch that ended without answers: its tasks are sent again or have failed. `span`: that of the
 * batch, if it is traced.
 */
export function logBatchEnd(
  dedupedLog: Pick<DedupedLog, "warn">,
  sent: SentBatch,
  end: BatchEnd,
  span?: SpanContext,
): void {
  const sentence = sentenceFor(end);
  if (sentence === undefined) return;
  const { id, worker, attempt, tasks } = sent;
  const runMs = end.finished?.runMs;
  const ids = { batch_id: id, request_ids: requestIdsOf(tasks), ...spanIds(span) };
  const facts = { reason: end.kind, ...ids, worker, attempt, runMs };
  dedupedLog.warn(facts, `${sentence}; its tasks are sent again, unless that was their last attempt`);
}

/**
 * Logs the batches of a report that the scheduler ignores, because their worker has not loaded their lane.
 */
export function logIgnoredBatches(dedupedLog: Pick<DedupedLog, "warn">, report: Report): void {
  const { worker, lanes, running, staged, answering } = report;
  for (const { batch, lane, tasks } of [...answering, ...(running === null ? [] : [running]), ...staged]) {
    if (lanes.some((loaded) => loaded.lane === lane)) continue;
    const ids = { batch_id: batch, request_ids: requestIdsOf(tasks) };
    dedupedLog.warn(
      { reason: "lane_not_loaded", ...ids, worker, lane },
      "a worker reports a batch of a lane that it has not loaded; the batch is ignored",
    );
  }
}

/** Returns undefined if there is nothing to log, or it was logged where it was noticed. */
function sentenceFor({ kind }: BatchEnd): string | undefined {
  switch (kind) {
    case "answered":
    case "undelivered":
    case "handed_over":
      return undefined;
    case "lost":
      return "a batch was lost, because its worker fell silent or hangs";
    case "unreceived":
      return "no worker confirmed a batch in time";
    case "failed":
      return "the run of a batch failed";
  }
}
