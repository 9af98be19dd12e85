import { errorTable } from "@faceline/contracts/http/errors";
import type { Log } from "@faceline/contracts/runtime/log";
import type { EndedCall } from "./ports.ts";

/**
 * Writes the log line of a call that has ended, with the parts of its time in ms. At `info` where it was
 * shed, late or retried, or where its client left: then the line says why. At `warn` where the service
 * failed. All others are at `debug`.
 */
export function logCall(log: Log, ended: EndedCall): void {
  const { record, status } = ended;
  const level = levelOf(ended);
  if (!log.isLevelEnabled(level)) return;
  const parts = Object.fromEntries(
    Object.entries(ended.parts).map(([part, ms]) => [part, Number(ms.toFixed(2))]),
  );
  const { requestId, route, lane, error } = record;
  const { sampled, traceId } = record.trace.context;
  const trace = sampled ? { trace_id: traceId } : {};
  log[level]({ requestId, ...trace, route, lane, status, error: error?.code, ms: parts }, sentenceFor(ended));
}

function levelOf({ record, status }: EndedCall): "debug" | "info" | "warn" {
  if (status === undefined) return "info";
  if (status === 500 || status === 502) return "warn";
  return status >= 500 || status === 429 || record.attempts > 1 ? "info" : "debug";
}

/** Says in one sentence how the call ended, and why if that is not as it should be. */
export function sentenceFor({ record, parts, status }: EndedCall): string {
  const { error, outcome } = record;
  if (status === undefined) return `the client left after ${ms(parts.total)}, before its reply`;
  switch (outcome?.kind) {
    case "shed":
      return `shed by the batcher, ${outcome.reason}: it predicted the answer in ${ms(outcome.predictedMs)}`;
    case "expired":
      return `late: its turn came ${ms(outcome.lateByMs)} after its deadline`;
    case "failed":
      return `failed in ${record.attempts} attempts: ${outcome.reason}`;
    case "faces":
    case "rejected":
    case undefined:
      break;
  }
  if (error?.code === "upstream_timeout") return `late: no answer within its time; ${error.message}`;
  if (error !== undefined && status >= 429)
    return `refused, ${errorTable[error.code].title}: ${error.message}`;
  if (record.attempts <= 1) return "answered";
  const lost = `${ms(parts.retry)} went to batches that were lost or failed`;
  return `answered in attempt ${record.attempts}: ${lost}`;
}

const ms = (value: number): string => `${Math.round(value)} ms`;
