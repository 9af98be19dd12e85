import { errorTable } from "@faceline/contracts/http/errors";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import type { Log } from "@faceline/runtime/log";
import { spanIds } from "@faceline/runtime/log-ids";
import type { EndedCall } from "./ports.ts";
import type { CallParts } from "./record.ts";

/**
 * Writes the log line of a call that has ended, with the parts of its time in ms. At `warn` where the service
 * failed, was late or lacks a server, at `info` where the call was refused, retried or slow, or its client
 * left: such calls may come by the thousand, so lines that are alike are counted together. All others are at
 * `debug`, also a bug, which has left its own line at `error`.
 */
export function logCall(log: CallLog, ended: EndedCall): void {
  const level = levelOf(ended, log.isLevelEnabled("debug"));
  if (!log.isLevelEnabled(level)) return;
  const parts = Object.fromEntries(
    Object.entries(ended.parts).map(([part, ms]) => [part, Number(ms.toFixed(2))]),
  );
  const { record, status } = ended;
  const { requestId, tenant, route, lane, pool, error } = record;
  const fields = {
    request_id: requestId,
    ...spanIds(record.trace.context),
    team: tenant,
    route,
    lane,
    pool,
    status,
    error: error?.code,
    dependency: error?.details.dependency,
    ms: parts,
  };
  const sentence = sentenceFor(ended);
  if (level === "debug") log.debug(fields, sentence);
  else {
    const reason = reasonFor(ended);
    log[level]({ reason, ...fields, detail: sentence }, kindOf(ended));
  }
}

function levelOf({ record, parts, status }: EndedCall, isDebugging: boolean): "debug" | "info" | "warn" {
  if (status === undefined) return "info";
  if (status === 500) return "debug";
  const lacksServer = record.error?.code === "dependency_unavailable";
  if (status === 502 || status === 504 || record.cause !== undefined || lacksServer) return "warn";
  // Where every call has a line of its own, a slow one keeps it.
  const isSlow = parts.total > slowMs && !isDebugging;
  return status >= 500 || status === 429 || record.attempts > 1 || isSlow ? "info" : "debug";
}

/** The sentence that the lines of alike calls share. */
function kindOf({ record, status }: EndedCall): string {
  if (status === undefined) return "a client left before its response";
  if (status === 429 || status >= 500) return "a request was not served";
  return record.attempts > 1 ? "a request was retried" : "a request was slow";
}

/** Why, without a number or an id: by this, lines are alike. A slow call has the longest part of its time. */
function reasonFor({ record: { attempts, error, cause, outcome }, parts, status }: EndedCall): string {
  if (status === undefined) return "disconnected";
  if (cause !== undefined) return cause;
  if (outcome?.kind === "shed" || outcome?.kind === "failed") return outcome.reason;
  if (outcome?.kind === "expired") return outcome.kind;
  if (error === undefined) return attempts > 1 ? "attempts" : longestPart(parts);
  return [error.code, error.details.dependency ?? []].flat().join(": ");
}

const longestPart = (parts: CallParts): string =>
  Object.entries({ ...parts, total: 0 }).reduce((most, part) => (part[1] > most[1] ? part : most))[0];

/** Says in one sentence how the call ended, and why if that is not as it should be. */
export function sentenceFor({ record, parts, status }: EndedCall): string {
  const { error, outcome } = record;
  if (status === undefined) return `the client left after ${ms(parts.total)}, before its response`;
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
  if (record.attempts <= 1) return parts.total > slowMs ? `answered in ${ms(parts.total)}` : "answered";
  const lost = `${ms(parts.retry)} went to batches that were lost or failed`;
  return `answered in attempt ${record.attempts}: ${lost}`;
}

/** The objective of docs/operating/runbook.md. */
const slowMs = 1_000;
const ms = (value: number): string => `${Math.round(value)} ms`;

type CallLog = Pick<Log, "isLevelEnabled" | "debug"> & Pick<DedupedLog, "info" | "warn">;
