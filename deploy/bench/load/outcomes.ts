import { quantile, sum } from "../statistics.ts";
import type { Reply } from "./http-client.ts";

/**
 * How a call ended for its client, who waits until the deadline. An answer after that is late, whatever it
 * says.
 */
export function outcomeOf({ status, tookMs }: OpenLoopCall, deadlineMs: number): Outcome {
  if (status === "gave up" || status === 504) return "late";
  if (status === 200) return tookMs <= deadlineMs ? "in time" : "late";
  return status === 503 || status === 429 ? "refused" : "failed";
}

/** Shares are of all calls that were due, from 0 to 1; latencies count from when a call was due. */
export function summarise(calls: readonly OpenLoopCall[], deadlineMs: number): Summary {
  const outcomes = calls.map((call) => outcomeOf(call, deadlineMs));
  const share = (outcome: Outcome) =>
    outcomes.filter((each) => each === outcome).length / Math.max(1, calls.length);
  const answered = calls.filter(({ status }) => status === 200).map(({ tookMs }) => tookMs);
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

/**
 * Returns the mean size of the batches in which the calls ran, from the answers that name it; null where none
 * does.
 */
export function meanBatchOf(calls: readonly OpenLoopCall[]): number | null {
  const sizes = calls.map(({ batch }) => batch).filter((size) => size !== undefined);
  // Each batch of n answers appears n times, as 1/n.
  const batches = sum(sizes.map((size) => 1 / size));
  return batches === 0 ? null : sizes.length / batches;
}

/** Returns, for each of the ascending `instantsMs`, the share of all calls that were answered within it. */
export function answeredWithin(calls: readonly OpenLoopCall[], instantsMs: readonly number[]): number[] {
  const answered = calls
    .filter(({ status }) => status === 200)
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

/** `late` includes calls that were not answered at all. */
type Outcome = "in time" | "late" | "refused" | "failed";

/** One call of an open loop, as its client saw it. */
export type OpenLoopCall = Omit<Reply, "serverTiming"> & {
  /** When it was due, in ms from the start of the run. */
  dueMs: number;
  /** From when it was due to the last byte of the answer, or to when the client gave up. */
  tookMs: number;
  /** How late the generator itself sent it; a part of `tookMs`. */
  sentAfterMs: number;
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
