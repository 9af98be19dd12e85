import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { RecentCounts, type TimeSpan } from "@faceline/runtime/live/recent-counts";
import type { EndedCall } from "../call/ports.ts";
import type { CallParts } from "../call/record.ts";

/** Remembers the compute calls of the last minutes for the live page, in a bounded memory. */
export class CallHistory {
  readonly outcomes = new RecentCounts<CallOutcome>();
  /** Sums of the parts of answered calls, in ms. */
  readonly parts = new RecentCounts<keyof CallParts>();
  /** Counts by tenant. The busiest ones are among the first of each slot, so the bound keeps them. */
  readonly calls = new RecentCounts();
  readonly refused = new RecentCounts();
  readonly imageBytes = new RecentCounts();
  /** Total times of the last answered calls. */
  readonly totalsMs: number[] = [];

  add({ record, status, parts, endedAt }: EndedCall): void {
    const { tenant, error, imageSizes } = record;
    const outcome = status === undefined ? "client_left" : (error?.code ?? "ok");
    this.outcomes.add(outcome, 1, endedAt);
    if (tenant !== undefined) {
      this.calls.add(tenant, 1, endedAt);
      if (kindOf(outcome) === "refused") this.refused.add(tenant, 1, endedAt);
      const imageBytes = imageSizes.reduce((sum, { bytes }) => sum + bytes, 0);
      if (imageBytes > 0) this.imageBytes.add(tenant, imageBytes, endedAt);
    }
    if (outcome !== "ok") return;
    this.totalsMs.push(parts.total);
    if (this.totalsMs.length > totalsMax) this.totalsMs.shift();
    for (const part in parts) {
      const ms = parts[part as keyof CallParts];
      if (ms > 0) this.parts.add(part as keyof CallParts, ms, endedAt);
    }
  }

  /** Returns the calls that ended in this way. */
  count(kind: OutcomeKind, span: TimeSpan): number {
    return outcomes
      .filter((outcome) => kindOf(outcome) === kind)
      .reduce((sum, outcome) => sum + this.outcomes.sum(outcome, span), 0);
  }
}

/** `refused`: by a limit, or under load. `invalid`: the request is at fault. */
export function kindOf(outcome: CallOutcome): OutcomeKind {
  if (outcome === "ok") return "answered";
  if (outcome === "client_left") return outcome;
  const { status } = errorTable[outcome];
  if (status < 500 && status !== 429) return "invalid";
  return refusals.has(outcome) ? "refused" : "failed";
}

/** Refusals by a limit of the team or the process, by the load, or at start and stop of the process. */
const refusals = new Set<CallOutcome>(["rate_limited", "queue_full", "queue_timeout", "not_ready"]);

export const outcomes: readonly CallOutcome[] = [
  "ok",
  "client_left",
  ...(Object.keys(errorTable) as ErrorCode[]),
];

const totalsMax = 512;

export type CallOutcome = ErrorCode | "ok" | "client_left";
type OutcomeKind = "answered" | "refused" | "failed" | "invalid" | "client_left";
