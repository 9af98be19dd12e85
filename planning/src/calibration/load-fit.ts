import type { StageTimes } from "../prediction/call-recorder.ts";
import type { Profile } from "@faceline/contracts/stored/profile";
import { runsOnCores } from "../profile/lane-times.ts";
import { valueAt } from "../profile/quantiles.ts";

/**
 * Returns the profile with other distributions of hops, of fetching and of what lengthens runs, so that a
 * prediction of a load has the distributions of stages that were measured of it: each quantile goes to that
 * which was measured. Single calls do not show how long threads and event loops wait for each other when all
 * are busy, and means do not show pauses. `predict` returns the stages of the calls of that load for a
 * profile. The correction goes in steps, because longer runs also make larger batches.
 */
export function fitToLoad(
  profile: Profile,
  measured: readonly FittedStages[],
  predict: (profile: Profile) => readonly FittedStages[],
): Profile {
  const { factors } = profile.service;
  const isOnCores = runsOnCores(profile);
  const goal = quantilesByStage(measured);
  let hops = shares.map((share) => valueAt(factors, share));
  let fetchMs = shares.map(() => profile.service.fetchMs);
  let handoverMs = shares.map(() => profile.service.handoverMs);
  const withFitted = (): Profile => {
    const { service } = profile;
    // On cores, what single calls took, unless it was more than most of what the load took.
    const idleOf = (idleMs: number, loaded: number[]) =>
      isOnCores ? Math.min(idleMs, valueAt(loaded, 0.5)) : loaded[0]!;
    const fetchIdleMs = idleOf(service.fetchMs, fetchMs);
    const handoverIdleMs = idleOf(service.handoverMs, handoverMs);
    return {
      ...profile,
      service: {
        ...service,
        factors: hops,
        fetchMs: fetchIdleMs,
        fetchMoreMs: fetchMs.map((ms) => Math.max(0, ms - fetchIdleMs)),
        handoverMs: handoverIdleMs,
        handoverMoreMs: handoverMs.map((ms) => Math.max(0, ms - handoverIdleMs)),
      },
    };
  };
  for (let step = 0; step < steps; step++) {
    const predicted = quantilesByStage(predict(withFitted()));
    const stretch = (index: number) =>
      goal.serviceMs[index]! / Math.max(leastStageMs, predicted.serviceMs[index]!);
    hops = ascending(hops.map((factor, index) => factor * stretch(index) ** stepShare));
    const corrected = (waits: number[], stage: "prepareMs" | "runMs") =>
      ascending(waits.map((ms, index) => ms + stepShare * (goal[stage][index]! - predicted[stage][index]!)));
    fetchMs = corrected(fetchMs, "prepareMs");
    handoverMs = corrected(handoverMs, "runMs");
  }
  return withFitted();
}

const ascending = (values: number[]): number[] =>
  values.map((value) => Math.max(0, value)).toSorted((a, b) => a - b);

function quantilesByStage(calls: readonly FittedStages[]): Record<keyof FittedStages, number[]> {
  const of = (stage: keyof FittedStages) => {
    const sorted = calls.map((call) => call[stage]).toSorted((a, b) => a - b);
    return shares.map((share) => valueAt(sorted, share));
  };
  return { serviceMs: of("serviceMs"), prepareMs: of("prepareMs"), runMs: of("runMs") };
}

/** The ends are not the least and the greatest of all: these would stand for a whole hundredth. */
const shares = Array.from({ length: 101 }, (_, index) => Math.min(0.995, Math.max(0.005, index / 100)));
const steps = 12;
const stepShare = 0.6;
const leastStageMs = 0.1;

type FittedStages = Pick<StageTimes, "serviceMs" | "prepareMs" | "runMs">;
