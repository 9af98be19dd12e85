import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import { nameOf } from "./settings-grid.ts";

/**
 * Finds the cheapest settings that meet a target: the fewest workers, and of these the least p99.
 *
 * Settings are first tried on the busiest windows of the trace. A prediction there shows that a target is
 * missed (see missedLimits), but not that it is met, so the best of those that are left are tried on all of
 * it. `workers` grows until one of them holds there. One more worker is tried as well, so that the reader
 * sees what it buys.
 *
 *     all settings ──windows──► not missed yet ──all calls──► holds ──► the least p99 of the fewest workers
 */
export async function search(plan: SearchPlan): Promise<SearchResult> {
  const { workersMin, workersMax, settingsOf, evaluate } = plan;
  const tried: Tried[] = [];
  let winner: Tried | undefined;
  for (let workers = workersMin; workers <= workersMax; workers++) {
    const onWindows = await tryAll(settingsOf(workers), "windows", evaluate);
    tried.push(...onWindows);
    const candidates = best(onWindows.filter(({ prediction }) => prediction.missed.length === 0));
    const onAll = await tryAll(
      candidates.map(({ settings }) => settings),
      "all calls",
      evaluate,
    );
    tried.push(...onAll);
    if (winner !== undefined) break;
    const [least] = best(onAll.filter(({ prediction }) => prediction.missed.length === 0));
    winner = least;
  }
  return { winner, tried };
}

async function tryAll(settings: PoolSettings[], scope: Scope, evaluate: Evaluate): Promise<Tried[]> {
  return Promise.all(
    settings.map(async (each) => ({ settings: each, scope, prediction: await evaluate(each, scope) })),
  );
}

/**
 * Returns those with the least p99, at most `candidatesMax`. Of several with the same prediction, as when no
 * batch reaches BATCH_MAX, only the first: it has the smallest sizes and so the least memory.
 */
function best(tried: Tried[]): Tried[] {
  const distinct = new Map<string, Tried>();
  for (const each of tried) {
    const key = JSON.stringify(each.prediction);
    if (!distinct.has(key)) distinct.set(key, each);
  }
  return [...distinct.values()]
    .toSorted(
      (a, b) =>
        a.prediction.p99Ms - b.prediction.p99Ms || nameOf(a.settings).localeCompare(nameOf(b.settings)),
    )
    .slice(0, candidatesMax);
}

/** Settings of one number of workers that are tried on all calls: each takes as long as a real simulation. */
const candidatesMax = 3;

/**
 * Returns those of which no other one is both cheaper and faster, by workers, of the ones that were simulated
 * whole.
 */
export function paretoFront(tried: readonly Tried[]): Tried[] {
  const whole = tried.filter(
    ({ scope, prediction }) => scope === "all calls" && prediction.missed.length === 0,
  );
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

export type Scope = "windows" | "all calls";
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
