import { errorTable } from "@faceline/contracts/http/errors";
import { Latest } from "@faceline/runtime/live/recent/latest";
import { RecentSlots } from "@faceline/runtime/live/recent/slots";
import type { LiveIngress, OutcomeKind } from "@faceline/runtime/live/state";
import type { EndedCall } from "../call/ports.ts";
import type { CallParts } from "../call/record.ts";
import { CallerHistory } from "./caller-history.ts";

/** Remembers the compute calls of the last minutes for the live page, in a bounded memory. */
export class CallHistory {
  readonly callers = new CallerHistory();
  readonly #outcomes = new RecentSlots<CallOutcome>();
  readonly #kinds = new RecentSlots<OutcomeKind>();
  /** Sums of the parts of answered calls, and how many these are. */
  readonly #parts = new RecentSlots<keyof CallParts | "calls">();
  readonly #totalsMs = new Latest<number>(totalsMax);

  add({ record, status, parts, endedAt }: EndedCall): void {
    const outcome = status === undefined ? "client_left" : (record.error?.code ?? "ok");
    this.#outcomes.add(outcome, 1, endedAt);
    const kind = kindOf(outcome);
    this.#kinds.add(kind, 1, endedAt);
    if (record.tenant !== undefined) this.callers.ended(record.tenant, kind === "refused", endedAt);
    if (outcome !== "ok") return;
    this.#totalsMs.add(parts.total);
    this.#parts.add("calls", 1, endedAt);
    for (const part in parts) {
      const ms = parts[part as keyof CallParts];
      if (ms > 0) this.#parts.add(part as keyof CallParts, ms, endedAt);
    }
  }

  read(now: number): Omit<LiveIngress, "kind" | "active" | "limits" | "pools"> {
    const totalsMs = this.#totalsMs.values().toSorted((one, other) => one - other);
    const quantile = (share: number) => totalsMs[Math.floor(share * (totalsMs.length - 1))]!;
    const calls = this.#parts.sum("calls", now, partsForMs);
    return {
      answered: this.#kinds.series("answered", now),
      refused: this.#kinds.series("refused", now),
      failed: this.#kinds.series("failed", now),
      outcomes: this.#outcomes
        .keys()
        .map((outcome) => ({
          outcome,
          words: wordsFor(outcome),
          kind: kindOf(outcome),
          count: this.#outcomes.count(outcome, now),
        }))
        .filter(({ count }) => count.all > 0)
        .toSorted((one, other) => other.count.all - one.count.all),
      parts: partsInOrder.map((part) => ({
        part,
        ms: calls === 0 ? 0 : this.#parts.sum(part, now, partsForMs) / calls,
      })),
      partsCalls: calls,
      callers: this.callers.read(now),
      totalMs: totalsMs.length === 0 ? null : { p50: quantile(0.5), p99: quantile(0.99) },
    };
  }
}

function kindOf(outcome: CallOutcome): OutcomeKind {
  if (outcome === "ok") return "answered";
  if (outcome === "client_left") return outcome;
  const { status } = errorTable[outcome];
  if (status < 500 && status !== 429) return "invalid";
  return refusals.has(outcome) ? "refused" : "failed";
}

/** Refusals by a limit of the team or the process, by the load, or at start and stop of the process. */
const refusals = new Set<CallOutcome>(["rate_limited", "queue_full", "queue_timeout", "not_ready"]);

function wordsFor(outcome: CallOutcome): string {
  if (outcome === "ok") return "Answered.";
  if (outcome === "client_left") return "The client left before its answer.";
  // In Markdown.
  return errorTable[outcome].when.replaceAll("`", "");
}

/** Parts of a call in the order in which they pass; `total` is their sum. */
const partsInOrder = [
  "admission",
  "publish",
  "hop",
  "queue",
  "hold",
  "retry",
  "prepare",
  "run",
  "answer",
  "gather",
  "unaccounted",
] as const satisfies (keyof CallParts)[];

const partsForMs = 60_000;
const totalsMax = 512;

type CallOutcome = keyof typeof errorTable | "ok" | "client_left";
