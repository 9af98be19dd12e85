import { type Profile, sizesOf } from "../profile/profile.ts";
import type { Trace } from "../trace/trace.ts";
import { repeatedTrace } from "../trace/trace-part.ts";
import type { PoolSettings, Prediction, PredictionPlan } from "./predict.ts";

/**
 * Returns how far off predicted times may be. The recorded calls are predicted with the settings that were in
 * force: the ratio of that to what was measured, up or down, is the half width of the band. A trace that
 * nothing was measured of has the band of the worst load that was compared.
 */
export async function errorBand(
  trace: Trace,
  profile: Profile,
  predict: (settings: PoolSettings, plan: PredictionPlan) => Promise<Prediction>,
): Promise<ErrorBand> {
  const { measured } = trace.columns;
  const settings = measured?.settings;
  const batchMax = sizesOf(profile).findLast((size) => size <= (settings?.batchMax ?? 0));
  if (measured === undefined || settings === undefined || batchMax === undefined) return unmeasuredBand;
  const inForce = { ...settings, batchMax };
  const { p50Ms, p99Ms } = await predict(inForce, { parts: repeatedTrace(trace, predictedCallsMin) });
  const { p50Ms: realP50Ms, p99Ms: realP99Ms } = measured;
  return {
    p50: bandFactor(p50Ms, realP50Ms),
    p99: bandFactor(p99Ms, realP99Ms),
    compared: {
      settings: inForce,
      predicted: { p50Ms, p99Ms },
      measured: { p50Ms: realP50Ms, p99Ms: realP99Ms },
    },
  };
}

/** Returns the ratio of two times as a number above 1. */
function bandFactor(predictedMs: number, measuredMs: number): number {
  const ratio = Math.max(leastMs, predictedMs) / Math.max(leastMs, measuredMs);
  return Math.max(bandFactorMin, ratio, 1 / ratio);
}

const leastMs = 0.1;

/** One comparison may agree by chance. */
export const bandFactorMin = 1.2;

/** Single replays on a shared machine were off by as much (docs/decisions/0136). */
const unmeasuredBand: ErrorBand = { p50: 2, p99: 2, compared: undefined };

/** A minute of calls alone would give another p99 for each seed. */
const predictedCallsMin = 20_000;

type Times = { p50Ms: number; p99Ms: number };

/** A predicted time may be this many times as long or as short. */
export type ErrorBand = {
  p50: number;
  p99: number;
  /** Undefined if nothing was measured. */
  compared: { settings: PoolSettings; predicted: Times; measured: Times } | undefined;
};
