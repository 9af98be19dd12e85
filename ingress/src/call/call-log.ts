import { errorTable } from "@faceline/contracts/http/errors";
import type { Log } from "@faceline/runtime/log";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { spanIds } from "@faceline/runtime/log-ids";
import type { EndedCall } from "./ports.ts";

/**
 * Writes the log line of a call that has ended, with the parts of its time in ms. At `warn` if the service
 * failed, was late or lacks a server, at `info` if the call was refused or retried, or if its client left:
 * such calls may come by the thousand, so lines that are alike are counted together. All others are at
 * `debug`, also a bug, which has left its own line at `error`.
 */
export function logCall({ log, dedupedLog }: CallLogs, ended: EndedCall): void {
  const level = levelOf(ended);
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
    dedupedLog[level]({ reason, ...fields, detail: sentence }, kindOf(ended));
  }
}

function levelOf({ record, status }: EndedCall): "debug" | "info" | "warn" {
  if (status === undefined) return "info";
  if (status === 500) return "debug";
  const lacksServer = record.error?.code === "dependency_unavailable";
  if (status === 502 || status === 504 || record.cause !== undefined || lacksServer) return "warn";
  return status >= 500 || status === 429 || record.attempts > 1 ? "info" : "debug";
}

/** The sentence that the lines of alike calls share. */
function kindOf({ status }: EndedCall): string {
  if (status === undefined) return "a client left before its response";
  return status === 429 || status >= 500 ? "a request was not served" : "a request was retried";
}

/** Why, without a number or an id: by this, lines are alike. */
function reasonFor({ record: { error, cause, outcome }, status }: EndedCall): string {
  if (status === undefined) return "disconnected";
  if (cause !== undefined) return cause;
  if (outcome?.kind === "shed" || outcome?.kind === "failed") return outcome.reason;
  if (outcome?.kind === "expired") return outcome.kind;
  return [error?.code ?? "attempts", error?.details.dependency ?? []].flat().join(": ");
}

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
  if (record.attempts <= 1) return "answered";
  const lost = `${ms(parts.retry)} went to batches that were lost or failed`;
  return `answered in attempt ${record.attempts}: ${lost}`;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

type CallLogs = { log: Pick<Log, "isLevelEnabled" | "debug">; dedupedLog: Pick<DedupedLog, "info" | "warn"> };
