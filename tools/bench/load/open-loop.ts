import { setTimeout as sleep } from "node:timers/promises";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { quantile } from "@faceline/contracts/testing/quantile";
import { sum } from "../statistics.ts";
import { HttpClient, type Response, type Target } from "./http-client.ts";

/**
 * Sends each call when it is due, whether or not the calls before it were answered, and counts its latency
 * from that instant: neither a server that stalls nor a generator that is late can hide it (no coordinated
 * omission). Calls of the warm-up are sent alike and left out of the result.
 */
export async function openLoop(plan: OpenLoop, onWarm: () => void): Promise<OpenLoopCall[]> {
  const { warmUpMs, giveUpMs } = plan;
  using client = new HttpClient(plan.target, inFlightMax);
  const calls: OpenLoopCall[] = [];
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  let warming = true;

  const send = async (index: number, dueMs: number): Promise<void> => {
    const sentAfterMs = performance.now() - startedAt - dueMs;
    const { status, batch, error, serverTiming }: Response =
      pending.size < inFlightMax
        ? await client.post(index, Math.max(1, giveUpMs - sentAfterMs))
        : { status: "broken" };
    const tookMs = performance.now() - startedAt - dueMs;
    if (dueMs < warmUpMs) return;
    calls.push({
      dueMs,
      tookMs,
      sentAfterMs,
      status,
      ...(batch === undefined ? {} : { batch }),
      ...(error === undefined ? {} : { error }),
      ...(serverTiming === undefined ? {} : { serverTiming }),
    });
  };

  for (const [index, dueMs] of poisson(plan.traffic).entries()) {
    if (warming && dueMs >= warmUpMs) {
      warming = false;
      onWarm();
    }
    const aheadMs = dueMs - (performance.now() - startedAt);
    // Timers are whole milliseconds: a call that is due within the next one waits for it, and the wait is
    // counted.
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    const sent: Promise<void> = send(index, dueMs).then(() => void pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
  return calls;
}

/** Calls that wait for an answer. A rate of 350 a second with a give-up time of 3 s reaches 1,050. */
const inFlightMax = 4_000;

/**
 * Returns the instants at which calls are due, in ms from the start, ascending: a Poisson process of
 * `perSecond` calls a second for `forMs`. The same seed gives the same instants, so that every server gets
 * the same traffic.
 */
export function poisson({ seed, perSecond, forMs }: Traffic): number[] {
  const next = mulberry32(seed);
  const instants: number[] = [];
  for (let dueMs = 0; ; ) {
    dueMs -= (1_000 / perSecond) * Math.log(1 - next());
    if (dueMs >= forMs) return instants;
    instants.push(dueMs);
  }
}

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
 * Returns the mean size of the batches in which the calls ran, from the answers that name it; null if none
 * does.
 */
export function meanBatchOf(calls: readonly OpenLoopCall[]): number | null {
  const sizes = calls.map(({ batch }) => batch).filter((size) => size !== undefined);
  // Each batch of n answers appears n times, as 1/n.
  const batches = sum(sizes.map((size) => 1 / size));
  return batches === 0 ? null : sizes.length / batches;
}

function quantilesOf(values: number[]): Quantiles | null {
  if (values.length === 0) return null;
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), p999: quantile(values, 0.999) };
}

export type OpenLoop = {
  target: Target;
  /** The warm-up and the counted time together. */
  traffic: Traffic;
  warmUpMs: number;
  /** Counts from when the call was due. */
  giveUpMs: number;
};

type Traffic = { seed: number; perSecond: number; forMs: number };

/** `late` includes calls that were not answered at all. */
type Outcome = "in time" | "late" | "refused" | "failed";

/** One call of an open loop, as its client saw it. */
export type OpenLoopCall = Response & {
  /** When it was due, in ms from the start of the run. */
  dueMs: number;
  /** Time since it was due, until the last byte of the answer or until the client gave up. */
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
