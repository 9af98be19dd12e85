import { fill } from "../words/fill.ts";
import { words } from "./words.ts";
import { busyShownMs, countShownMs, type RunState } from "./run-state.ts";
import type { TesterCall } from "./settings.ts";

/** What the result shows of a state, besides the details of an answer. */
export type RunView = {
  kind: "empty" | "busy" | "answer" | "failed";
  /** Undefined: that of the answer, which is old if `isStale`. */
  headline?: string;
  explanation?: string;
  /** Seconds until the next try. */
  retryInS?: number;
  /** What is shown is about other images or settings: dimmed, and out of reach. */
  isStale: boolean;
  /** The response as JSON and the example are of another threshold. */
  isEvidenceStale: boolean;
  /** What screen readers announce: the current state, and nothing of the previous one. */
  status: string | undefined;
};

/** Returns what is shown of a state now. */
export function viewOf(state: RunState<unknown, unknown>, call: TesterCall, now: number): RunView {
  const settled = { isStale: false, isEvidenceStale: false };
  switch (state.kind) {
    case "empty": {
      const { missing, refusal } = state;
      const status = `${refusal} ${missing}`.trim();
      return { ...settled, kind: "empty", headline: missing, explanation: "", status };
    }
    case "answer":
      return { ...settled, kind: "answer", status: undefined };
    case "failure": {
      const { headline, explanation } = state.failure;
      const retry =
        state.retryAt === undefined
          ? {}
          : { retryInS: Math.max(1, Math.ceil((state.retryAt - now) / 1_000)) };
      return { ...settled, ...retry, kind: "failed", headline, explanation, status: headline };
    }
    case "running": {
      if (state.kept !== undefined)
        return { kind: "answer", isStale: false, isEvidenceStale: true, status: undefined };
      const stale = { kind: "busy", isStale: true, isEvidenceStale: true } as const;
      const waitedMs = now - state.startedAt;
      if (waitedMs < busyShownMs) return { ...stale, status: "" };
      const { comparing, searching, reading, stillWorking } = words.headlines;
      const headline = state.step.kind === "reading" ? reading : call === "represent" ? searching : comparing;
      if (waitedMs < countShownMs) return { ...stale, headline, explanation: "", status: headline };
      const explanation = fill(words.progress.seconds, { seconds: Math.floor(waitedMs / 1_000) });
      return { ...stale, headline, explanation, status: stillWorking };
    }
  }
}
