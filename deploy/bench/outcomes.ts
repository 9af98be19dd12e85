import { quantile } from "./figures.ts";

/** How a call ended for whoever waited for it. An answer that nobody waits for any more is late, whatever it says. */
export function outcomeOf({ ended, tookMs }: Seen, deadlineMs: number): Outcome {
  if (ended === "gave up" || ended === 504) return "late";
  if (ended === 200) return tookMs <= deadlineMs ? "in time" : "late";
  return ended === 503 || ended === 429 ? "refused" : "failed";
}

/** What came of the calls. Shares are of all calls that were to be sent; latencies count from the scheduled instant. */
export function summarise(calls: readonly Seen[], deadlineMs: number): Summary {
  const outcomes = calls.map((call) => outcomeOf(call, deadlineMs));
  const share = (outcome: Outcome) =>
    outcomes.filter((each) => each === outcome).length / Math.max(1, calls.length);
  const answered = calls.filter(({ ended }) => ended === 200).map(({ tookMs }) => tookMs);
  const refused = calls.filter((_, index) => outcomes[index] === "refused").map(({ tookMs }) => tookMs);
  return {
    calls: calls.length,
    inTime: share("in time"),
    late: share("late"),
    refused: share("refused"),
    failed: share("failed"),
    answeredMs: quantilesOf(answered),
    refusedMs: quantilesOf(refused),
  };
}

/** The mean size of the batches in which the answered calls ran, where each answer names its batch's size. */
export function meanBatchOf(calls: readonly Seen[]): number | null {
  const sizes = calls.map(({ batch }) => batch).filter((size) => size !== undefined);
  const batches = sizes.reduce((sum, size) => sum + 1 / size, 0);
  return batches === 0 ? null : sizes.length / batches;
}

/** The share of all calls that were answered within each of so many milliseconds, which ascend. */
export function answeredWithin(calls: readonly Seen[], instantsMs: readonly number[]): number[] {
  const answered = calls
    .filter(({ ended }) => ended === 200)
    .map(({ tookMs }) => tookMs)
    .toSorted((a, b) => a - b);
  let count = 0;
  return instantsMs.map((withinMs) => {
    while (count < answered.length && answered[count]! <= withinMs) count++;
    return count / Math.max(1, calls.length);
  });
}

function quantilesOf(values: number[]): Quantiles | null {
  if (values.length === 0) return null;
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), p999: quantile(values, 0.999) };
}

/** `late` holds also what was not answered at all while somebody waited. */
export type Outcome = "in time" | "late" | "refused" | "failed";

/** One call, as its client saw it. */
export type Seen = {
  /** Milliseconds from the start of the run. */
  scheduledAt: number;
  /** From the scheduled instant to the last byte of the answer, or to when the client gave up. */
  tookMs: number;
  /** How late the generator itself was; a part of `tookMs`. */
  sentAfterMs: number;
  /** The status of the answer; `broken`: the connection failed, or the generator's own bound was reached. */
  ended: number | "gave up" | "broken";
  /** The size of the batch it ran in, where the answer says so. */
  batch?: number;
};

export type Quantiles = { p50: number; p99: number; p999: number };

export type Summary = {
  calls: number;
  inTime: number;
  late: number;
  refused: number;
  failed: number;
  answeredMs: Quantiles | null;
  refusedMs: Quantiles | null;
};
