import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import { closestOf, type Evaluate, type Tried } from "../search/search.ts";

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
  const ofMost = tried.filter(({ settings, scope }) => settings.workers === workers && scope === "windows");
  const closest = closestOf(ofMost);
  const whole = await Promise.all(
    closest.map(async (settings) => ({ settings, prediction: await predictWhole(settings) })),
  );
  const [least] = whole.toSorted((a, b) => excess(a.prediction, target) - excess(b.prediction, target));
  const nearest = { ...least!, target: widenedTarget(target, least!.prediction) };
  const workersTried = workers * moreWorkersFactor;
  return { nearest, more: await fewestMore(least!.settings, workersTried, evaluate), workersTried };
}

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

/**
 * Doubles the workers up to `workersMost` until the target is met, and halves the last step. Windows save
 * time where the answer is one of many; the last one is that of all calls, see search.ts.
 */
async function fewestMore(
  settings: PoolSettings,
  workersMost: number,
  evaluate: Evaluate,
): Promise<Tried | undefined> {
  const tryWith = async (workers: number): Promise<Tried | undefined> => {
    const onWindows = await evaluate({ ...settings, workers }, "windows");
    return onWindows.missed.length > 0 && workers < workersMost ? undefined : await tryWhole(workers);
  };
  const tryWhole = async (workers: number): Promise<Tried | undefined> => {
    const more = { ...settings, workers };
    const prediction = await evaluate(more, "all requests");
    return prediction.missed.length > 0 ? undefined : { settings: more, scope: "all requests", prediction };
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
  while (met !== undefined && met.settings.workers - 1 > settings.workers) {
    const fewer = await tryWhole(met.settings.workers - 1);
    if (fewer === undefined) break;
    met = fewer;
  }
  return met;
}

/** A target that four times as many workers miss is not missed for want of workers. */
const moreWorkersFactor = 4;

type UnmetSources = {
  target: Target;
  evaluate: Evaluate;
  predictWhole(settings: PoolSettings): Promise<Prediction>;
};

export type UnmetAdvice = {
  /** Nearest target that the most workers hold. */
  nearest: { settings: PoolSettings; prediction: Prediction; target: Target };
  /** More workers that meet the target itself; undefined: `workersTried` miss it as well. */
  more: Tried | undefined;
  workersTried: number;
};
