import type { PoolSettings, Prediction } from "../prediction/predict.ts";

/**
 * Finds the cheapest settings that meet a target: the fewest workers, and of these the least p99.
 *
 * Settings are first tried on the busiest windows of the trace, and the best of those that are left on all of
 * it. `workers` grows until one of them holds there. One more worker is tried as well, so that the reader
 * sees what it buys.
 *
 *     all settings ──windows──► not missed yet ──all calls──► holds ──► the least p99 of the fewest workers
 *
 * Windows are not the whole trace: what the scheduler has measured until then may differ. So before the
 * answer is that fewer workers, or as many as allowed, miss the target, all calls have shown it.
 */
export async function search(plan: SearchPlan): Promise<SearchResult> {
  const { workersMin, workersMax, settingsOf, evaluate } = plan;
  const tried: Tried[] = [];
  const below: Tried[][] = [];
  let onWindows: Tried[] = [];
  for (let workers = workersMin; workers <= workersMax; workers++) {
    onWindows = await tryAll(settingsOf(workers), "windows", evaluate);
    const candidates = candidatesOf(onWindows, candidatesMax);
    const [onAll, fewer] = await Promise.all([
      tryAll(candidates, "all requests", evaluate),
      candidates.length > 0 ? confirm(below, plan) : [],
    ]);
    tried.push(...onWindows, ...onAll, ...fewer);
    const [winner] = cheapest([...fewer, ...onAll].filter(holds));
    if (winner !== undefined) {
      if (workers < workersMax) tried.push(...(await oneMore(workers + 1, plan)));
      return { winner, tried };
    }
    // What all calls have ruled out is not confirmed again.
    if (onAll.length > 0) below.length = 0;
    else below.push(onWindows);
  }
  const last = await tryAll(notOnAll(closestOf(onWindows), tried), "all requests", evaluate);
  const fewer = last.some(holds) ? await confirm(below.slice(0, -1), plan) : [];
  const [winner] = cheapest([...fewer, ...last].filter(holds));
  return { winner, tried: [...tried, ...last, ...fewer] };
}

/** Tries all settings of a number of workers on windows, and the best one on all calls. */
async function oneMore(workers: number, { settingsOf, evaluate }: SearchPlan): Promise<Tried[]> {
  const onWindows = await tryAll(settingsOf(workers), "windows", evaluate);
  return [...onWindows, ...(await tryAll(candidatesOf(onWindows, 1), "all requests", evaluate))];
}

/** Tries the closest settings of levels that windows ruled out on all calls, until they miss there too. */
async function confirm(below: readonly Tried[][], { evaluate }: SearchPlan): Promise<Tried[]> {
  const confirmed: Tried[] = [];
  for (const onWindows of below.toReversed()) {
    const [first, ...others] = closestOf(onWindows);
    const [closest] = await tryAll([first!], "all requests", evaluate);
    confirmed.push(closest!);
    if (!holds(closest!)) break;
    confirmed.push(...(await tryAll(others, "all requests", evaluate)));
  }
  return confirmed;
}

/** Returns the settings with the fewest missed limits, and of these those with the least p99. */
export function closestOf(onWindows: readonly Tried[]): PoolSettings[] {
  return onWindows
    .toSorted(
      (a, b) =>
        a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms,
    )
    .map(({ settings }) => settings)
    .slice(0, closestMax);
}

/** Settings that are simulated whole before the answer is that the target cannot be met. */
const closestMax = 3;

function notOnAll(settings: readonly PoolSettings[], tried: readonly Tried[]): PoolSettings[] {
  const known = new Set(
    tried.filter(({ scope }) => scope === "all requests").map((each) => JSON.stringify(each.settings)),
  );
  return settings.filter((each) => !known.has(JSON.stringify(each)));
}

/** Returns the best settings that windows leave, in the order of the grid: of the same p99 the first wins. */
function candidatesOf(onWindows: readonly Tried[], count: number): PoolSettings[] {
  const chosen = new Set(best(onWindows.filter(holds)).slice(0, count));
  return onWindows.filter((each) => chosen.has(each)).map(({ settings }) => settings);
}

const holds = ({ prediction }: Tried): boolean => prediction.missed.length === 0;

async function tryAll(settings: readonly PoolSettings[], scope: Scope, evaluate: Evaluate): Promise<Tried[]> {
  return Promise.all(
    settings.map(async (each) => ({ settings: each, scope, prediction: await evaluate(each, scope) })),
  );
}

/**
 * Returns those with the least p99, at most `candidatesMax`; of several with the same p99 the first of the
 * grid. Of several with the same prediction, as when no batch reaches BATCH_MAX, only the first.
 */
function best(tried: Tried[]): Tried[] {
  const distinct = new Map<string, Tried>();
  for (const each of tried) {
    const key = JSON.stringify(each.prediction);
    if (!distinct.has(key)) distinct.set(key, each);
  }
  return [...distinct.values()]
    .toSorted((a, b) => a.prediction.p99Ms - b.prediction.p99Ms)
    .slice(0, candidatesMax);
}

function cheapest(tried: Tried[]): Tried[] {
  const fewest = Math.min(...tried.map(({ settings }) => settings.workers));
  return best(tried.filter(({ settings }) => settings.workers === fewest));
}

/** Settings of one number of workers that are tried on all calls: each takes as long as a real simulation. */
const candidatesMax = 2;

/**
 * Returns those of which no other one is both cheaper and faster, by workers, of the ones that were simulated
 * whole.
 */
export function paretoFront(tried: readonly Tried[]): Tried[] {
  const whole = tried.filter((each) => each.scope === "all requests" && holds(each));
  const sorted = whole.toSorted(
    (a, b) => a.settings.workers - b.settings.workers || a.prediction.p99Ms - b.prediction.p99Ms,
  );
  const front: Tried[] = [];
  for (const each of sorted) {
    const last = front.at(-1);
    if (last === undefined || each.prediction.p99Ms < last.prediction.p99Ms) front.push(each);
  }
  return front;
}

export type Scope = "windows" | "all requests";
export type Evaluate = (settings: PoolSettings, scope: Scope) => Promise<Prediction>;

type SearchPlan = {
  workersMin: number;
  workersMax: number;
  settingsOf(workers: number): PoolSettings[];
  evaluate: Evaluate;
};

export type Tried = { settings: PoolSettings; scope: Scope; prediction: Prediction };

export type SearchResult = {
  /** Undefined: no settings up to `workersMax` meet the target. */
  winner: Tried | undefined;
  tried: Tried[];
};
