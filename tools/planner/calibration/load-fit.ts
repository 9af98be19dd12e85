import type { Profile } from "@faceline/contracts/stored/profile";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { RunTimes } from "../prediction/predict.ts";
import { runCpuMs, runsOnCores } from "../profile/lane-times.ts";
import { valueAt } from "../profile/quantiles.ts";

/**
 * Returns the profile with other distributions of hops, of fetching and of the waits of runs, so that a
 * prediction of a load has those times around the engine that were measured of it: each quantile goes to that
 * which was measured. Single calls do not show how long threads and event loops wait for each other when all
 * are busy, and means do not show pauses. Batches of each size are compared with those of the same size: a
 * prediction may have more large ones, whose runs are no waits. `predict` returns the times of that load for
 * a profile. The correction goes in steps, because longer runs also make larger batches.
 */
export function fitToLoad(
  profile: Profile,
  {
    measured,
    lane: id,
    predict,
  }: { measured: LoadTimes; lane: LaneId; predict: (each: Profile) => LoadTimes },
): Profile {
  const { service } = profile;
  const isOnCores = runsOnCores(profile);
  const lane = profile.lanes.find((each) => each.lane === id)!;
  const cpuMs = (size: number) => runCpuMs(profile, lane, size);
  const goal = quantilesOfLoad(measured);
  let hops = shares.map((share) => valueAt(service.factors, share));
  let fetchMs = shares.map(() => service.fetchMs);
  let handoverMs = shares.map(() => service.handoverMs);
  let waitShares = shares.map(() => 0);
  const withFitted = (): Profile => {
    // On cores, what single calls took, unless it was more than most of what the load took.
    const fetchIdleMs = isOnCores ? Math.min(service.fetchMs, valueAt(fetchMs, 0.5)) : fetchMs[0]!;
    return {
      ...profile,
      service: {
        ...service,
        factors: hops,
        fetchMs: fetchIdleMs,
        fetchMoreMs: fetchMs.map((ms) => Math.max(0, ms - fetchIdleMs)),
        ...(isOnCores
          ? { handoverMoreMs: [0, 0], runWaitShares: waitShares }
          : {
              handoverMs: handoverMs[0]!,
              handoverMoreMs: handoverMs.map((ms) => ms - handoverMs[0]!),
              runWaitShares: [0, 0],
            }),
      },
    };
  };
  for (let step = 0; step < steps; step++) {
    const predicted = quantilesOfLoad(predict(withFitted()));
    const stretch = (index: number) =>
      goal.serviceMs[index]! / Math.max(leastHopsMs, predicted.serviceMs[index]!);
    hops = ascending(hops.map((factor, index) => factor * stretch(index) ** stepShare));
    const nextWaits = (waits: number[], time: BatchTime, unitMs: (size: number) => number) => {
      const missing = missingOf({ goal: goal.batches, predicted: predicted.batches, time, unitMs });
      return ascending(waits.map((wait, index) => wait + stepShare * missing[index]!));
    };
    fetchMs = nextWaits(fetchMs, "prepareMs", inMs);
    if (isOnCores) waitShares = nextWaits(waitShares, "runMs", cpuMs);
    else handoverMs = nextWaits(handoverMs, "runMs", inMs);
  }
  return withFitted();
}

/**
 * Returns how much longer batches took than predicted, in each quantile and in units of `unitMs`: of those of
 * the same size, by their number.
 */
function missingOf({ goal, predicted, time, unitMs }: BatchComparison): number[] {
  const sums = shares.map(() => 0);
  let batches = 0;
  for (const [size, { count, [time]: measured }] of goal) {
    const ours = predicted.get(size);
    if (ours === undefined || Math.min(count, ours.count) < batchesMin) continue;
    batches += count;
    for (const [index, ms] of measured.entries()) {
      sums[index]! += (count * (ms - ours[time][index]!)) / unitMs(size);
    }
  }
  return sums.map((sum) => sum / Math.max(1, batches));
}

const inMs = (): number => 1;

const ascending = (values: number[]): number[] =>
  values.map((value) => Math.max(0, value)).toSorted((a, b) => a - b);

function quantilesOfLoad({ serviceMs, runs }: LoadTimes): LoadQuantiles {
  const batches = [...Map.groupBy(runs, ({ size }) => size)].map(([size, same]): [number, BatchQuantiles] => [
    size,
    {
      count: same.length,
      prepareMs: quantilesAt(same.map(({ prepareMs }) => prepareMs)),
      runMs: quantilesAt(same.map(({ runMs }) => runMs)),
    },
  ]);
  return { serviceMs: quantilesAt(serviceMs), batches: new Map(batches) };
}

function quantilesAt(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return shares.map((share) => valueAt(sorted, share));
}

/** The ends are not the least and the greatest of all: these would stand for a whole hundredth. */
const shares = Array.from({ length: 101 }, (_, index) => Math.min(0.995, Math.max(0.005, index / 100)));
const steps = 12;
const stepShare = 0.6;
const leastHopsMs = 0.1;
/** Fewer of a size say little of their distribution. */
const batchesMin = 20;

/** `serviceMs`: of each answered call, in hops and ingress. `runs`: of batches of one lane. */
export type LoadTimes = { serviceMs: readonly number[]; runs: readonly RunTimes[] };

type BatchTime = "prepareMs" | "runMs";
type BatchQuantiles = { count: number } & Record<BatchTime, number[]>;
type BatchComparison = {
  goal: ReadonlyMap<number, BatchQuantiles>;
  predicted: ReadonlyMap<number, BatchQuantiles>;
  time: BatchTime;
  /** For a size. */
  unitMs(size: number): number;
};
type LoadQuantiles = { serviceMs: number[]; batches: ReadonlyMap<number, BatchQuantiles> };
