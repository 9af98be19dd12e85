import type { StageTimes } from "../prediction/call-recorder.ts";
import type { Prediction } from "../prediction/predict.ts";
import { type ReplayedCalls, type ReplayOutcome, replayOutcomes, timingParts } from "./replayed-calls.ts";
import { meanRunMs, type RunCounts } from "./run-counts.ts";
import type { ServiceCounts } from "./service-counters.ts";

/** Returns what was measured of a replay, in the terms of a prediction. Shares are of all calls. */
export function measuredOf(calls: ReplayedCalls, counts: Partial<ServiceCounts>): Measured {
  const { tookMs, sentAfterMs } = calls.columns;
  const answered: number[] = [];
  for (let call = 0; call < calls.length; call++) {
    const outcome = calls.outcomeOf(call);
    if (outcome === "answered" || outcome === "late") answered.push(call);
  }
  const outcomes = Object.fromEntries(
    replayOutcomes.map((outcome) => [outcome, calls.count(outcome)]),
  ) as Record<ReplayOutcome, number>;
  const mean = (of: (call: number) => number) =>
    answered.reduce((sum, call) => sum + of(call), 0) / Math.max(1, answered.length);
  const parts = Object.fromEntries(
    timingParts.map((part) => [part, mean((call) => calls.partOf(call, part))]),
  );
  const { hold, queue, retry, prepare, run, total } = parts as Record<(typeof timingParts)[number], number>;
  const waitMs = hold + queue + retry;
  const meanMs = mean((call) => tookMs[call]!);
  const sorted = Float64Array.from(answered, (call) => tookMs[call]!).toSorted();
  const sent = sentAfterMs.toSorted();
  return {
    calls: calls.length,
    outcomes,
    p50Ms: quantileOf(sorted, 0.5),
    p99Ms: quantileOf(sorted, 0.99),
    shed: outcomes.shed / Math.max(1, calls.length),
    late: (outcomes.late + outcomes.expired) / Math.max(1, calls.length),
    meanBatch: counts.meanBatch,
    utilisation: counts.utilisation,
    runs: counts.runs ?? [],
    meanRunMs: meanRunMs(counts.runs ?? []),
    forMs: counts.forMs,
    stages: { serviceMs: meanMs - waitMs - prepare - run, waitMs, prepareMs: prepare, runMs: run },
    parts: { ...parts, client: meanMs - total },
    generatorLateMs: { p50: quantileOf(sent, 0.5), p99: quantileOf(sent, 0.99), most: sent.at(-1) ?? 0 },
  };
}

/** As CallRecorder.quantiles. */
const quantileOf = (sorted: Float32Array | Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

/** Returns predicted and measured values side by side, with the error of each. */
export function compare(predicted: Prediction, measured: Measured): ComparedMeasure[] {
  const relative = (name: string, key: "p50Ms" | "p99Ms" | "meanBatch"): ComparedMeasure => {
    const real = measured[key];
    const error = real === undefined || real === 0 ? undefined : predicted[key] / real - 1;
    return {
      name,
      unit: key === "meanBatch" ? "tasks" : "ms",
      predicted: predicted[key],
      measured: real,
      error,
    };
  };
  const points = (name: string, key: "shed" | "late" | "utilisation"): ComparedMeasure => {
    const real = measured[key];
    const error = real === undefined ? undefined : predicted[key] - real;
    return { name, unit: "share", predicted: predicted[key], measured: real, error };
  };
  return [
    relative("p50", "p50Ms"),
    relative("p99", "p99Ms"),
    points("shed", "shed"),
    points("late", "late"),
    relative("mean batch", "meanBatch"),
    points("utilisation", "utilisation"),
  ];
}

/**
 * `error`: of a share the difference, of anything else the ratio less 1; undefined if it was not measured.
 */
export type ComparedMeasure = {
  name: string;
  unit: "ms" | "tasks" | "share";
  predicted: number;
  measured: number | undefined;
  error: number | undefined;
};

export type Measured = {
  calls: number;
  outcomes: Record<ReplayOutcome, number>;
  p50Ms: number;
  p99Ms: number;
  shed: number;
  late: number;
  meanBatch: number | undefined;
  utilisation: number | undefined;
  runs: readonly RunCounts[];
  /** Of a run, by the size that its batch was padded to. */
  meanRunMs: Readonly<Record<number, number>>;
  /** How long the service was watched. */
  forMs: number | undefined;
  stages: StageTimes;
  /** Means of the parts of Server-Timing, and `client`: beyond them, in the network and in the client. */
  parts: Record<string, number>;
  /** How long after its instant a call was sent. */
  generatorLateMs: { p50: number; p99: number; most: number };
};
