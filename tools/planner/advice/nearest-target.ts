import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import { closestFirst, type Tried } from "../search/search.ts";

/** Returns the nearest target that the most workers hold, where no settings meet a target. */
export async function nearestTarget(
  tried: readonly Tried[],
  { target, predictWhole }: { target: Target; predictWhole(settings: PoolSettings): Promise<Tried> },
): Promise<NearestTarget> {
  const workers = Math.max(...tried.map(({ settings }) => settings.workers));
  const ofMost = tried.filter(({ settings }) => settings.workers === workers);
  const closest = closestFirst(ofMost).slice(0, closestMax);
  const whole = await Promise.all(closest.map(({ settings }) => predictWhole(settings)));
  const [least] = whole.toSorted((a, b) => excess(a.prediction, target) - excess(b.prediction, target));
  return { ...least!, target: widenedTarget(target, least!.prediction) };
}

/** Settings that are simulated to their end: where a target is missed, a prediction stops. */
const closestMax = 3;

/** How far the limit that is missed most is exceeded: 1 is just met. */
const excess = (prediction: Prediction, target: Target): number =>
  Math.max(...measured(prediction).map(([measure, value]) => value / (target[measure] ?? Infinity)));

/**
 * Returns the target with each missed limit at what was reached, rounded up to two digits. A quantile is
 * right to within 0.04%, so a time that is nearer to its limit may miss it.
 */
export function widenedTarget(target: Target, prediction: Prediction): Target {
  const widened = measured(prediction).flatMap(([measure, value]) => {
    const limit = target[measure];
    if (limit === undefined) return [];
    const isTime = measure === "p50" || measure === "p99";
    const atMost = isTime && value <= limit ? 1.0005 * value : value;
    return [[measure, atMost <= limit ? limit : roundedUp(atMost)]];
  });
  return Object.fromEntries(widened);
}

const measured = ({ p50Ms, p99Ms, shed, late }: Prediction) =>
  [
    ["p50", p50Ms],
    ["p99", p99Ms],
    ["shed", shed],
    ["late", late],
  ] as const;

function roundedUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step) * step).toPrecision(2));
}

export type NearestTarget = Tried & { target: Target };
