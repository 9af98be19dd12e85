import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import type { Evaluate, Tried } from "../search/search.ts";

/**
 * Returns what can be had where no settings meet a target: the nearest target that the most workers hold, and
 * how many more workers would meet the wanted one. `predictWhole` simulates all calls to their end, also
 * where the target is missed.
 */
export async function unmetAdvice(
  tried: readonly Tried[],
  { target, evaluate, predictWhole }: UnmetSources,
): Promise<UnmetAdvice> {
  const workers = Math.max(...tried.map(({ settings }) => settings.workers));
  const closest = closestOf(tried.filter(({ settings }) => settings.workers === workers));
  const whole = await Promise.all(
    closest.map(async (settings) => ({ settings, prediction: await predictWhole(settings) })),
  );
  const [least] = whole.toSorted((a, b) => excess(a.prediction, target) - excess(b.prediction, target));
  const nearest = { ...least!, target: widenedTarget(target, least!.prediction) };
  const workersTried = workers * moreWorkersFactor;
  return { nearest, more: await fewestMore(least!.settings, workersTried, evaluate), workersTried };
}

/** The settings with the fewest missed limits, and of these with the least p99. */
function closestOf(tried: readonly Tried[]): PoolSettings[] {
  const sorted = tried.toSorted(
    (a, b) =>
      a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms,
  );
  const distinct = new Map(sorted.map(({ settings }) => [JSON.stringify(settings), settings]));
  return [...distinct.values()].slice(0, closestMax);
}

/** How far the limit that is missed most is exceeded: 1 is just met. */
const excess = (prediction: Prediction, target: Target): number =>
  Math.max(...measured(prediction).map(([measure, value]) => value / (target[measure] ?? Infinity)));

/** Returns the target with each missed limit at what was reached, rounded up to two digits. */
export function widenedTarget(target: Target, prediction: Prediction): Target {
  const widened = measured(prediction).flatMap(([measure, value]) => {
    const limit = target[measure];
    if (limit === undefined) return [];
    return [[measure, value <= limit ? limit : roundedUp(value)]];
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

/** Doubles the workers up to `workersMost` until the target is met, and halves the last step. */
async function fewestMore(
  settings: PoolSettings,
  workersMost: number,
  evaluate: Evaluate,
): Promise<Tried | undefined> {
  const tryWith = async (workers: number): Promise<Tried | undefined> => {
    const more = { ...settings, workers };
    const onWindows = await evaluate(more, "windows");
    if (onWindows.missed.length > 0) return undefined;
    const prediction = await evaluate(more, "all calls");
    return prediction.missed.length > 0 ? undefined : { settings: more, scope: "all calls", prediction };
  };
  let missing = settings.workers;
  let met: Tried | undefined;
  while (met === undefined && missing < workersMost) {
    const workers = Math.min(2 * missing, workersMost);
    met = await tryWith(workers);
    if (met === undefined) missing = workers;
  }
  while (met !== undefined && met.settings.workers - missing > 1) {
    const middle = (met.settings.workers + missing) >> 1;
    const tried = await tryWith(middle);
    if (tried === undefined) missing = middle;
    else met = tried;
  }
  return met;
}

/** Settings of the most workers that are simulated whole. */
const closestMax = 3;
/** A target that four times as many workers miss is not missed for want of workers. */
const moreWorkersFactor = 4;

type UnmetSources = {
  target: Target;
  evaluate: Evaluate;
  predictWhole(settings: PoolSettings): Promise<Prediction>;
};

export type UnmetAdvice = {
  /** With the most workers that were searched. */
  nearest: { settings: PoolSettings; prediction: Prediction; target: Target };
  /** With which more workers would meet the target itself; undefined: `workersTried` miss it as well. */
  more: Tried | undefined;
  workersTried: number;
};
