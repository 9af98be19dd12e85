import type { PoolSettings, Prediction } from "../prediction/predict.ts";

/**
 * Finds the cheapest settings that meet a target: the fewest workers, and of these the least p99; of several
 * with the same p99 the first of the grid. One more worker is tried as well, so that the reader sees what it
 * buys.
 */
export async function search(plan: SearchPlan): Promise<SearchResult> {
  const { workersMin, workersMax, settingsOf, evaluate } = plan;
  const tried: Tried[] = [];
  const tryAll = async (all: readonly PoolSettings[]): Promise<Tried[]> => {
    const level = await Promise.all(
      all.map(async (settings) => ({ settings, prediction: await evaluate(settings) })),
    );
    tried.push(...level);
    return level;
  };
  for (let workers = workersMin; workers <= workersMax; workers++) {
    const level = await tryAll(settingsOf(workers));
    const [winner] = level.filter(holds).toSorted((a, b) => a.prediction.p99Ms - b.prediction.p99Ms);
    if (winner === undefined) continue;
    if (workers < workersMax) await tryAll([{ ...winner.settings, workers: workers + 1 }]);
    return { winner, tried };
  }
  return { winner: undefined, tried };
}

const holds = ({ prediction }: Tried): boolean => prediction.missed.length === 0;

/** Returns those with the fewest missed limits first, and of these those with the least p99. */
export const closestFirst = (tried: readonly Tried[]): Tried[] =>
  tried.toSorted(
    (a, b) =>
      a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms,
  );

/** Returns those that meet the target and of which no other one is both cheaper and faster, by workers. */
export function paretoFront(tried: readonly Tried[]): Tried[] {
  const sorted = tried
    .filter(holds)
    .toSorted((a, b) => a.settings.workers - b.settings.workers || a.prediction.p99Ms - b.prediction.p99Ms);
  const front: Tried[] = [];
  for (const each of sorted) {
    const last = front.at(-1);
    if (last === undefined || each.prediction.p99Ms < last.prediction.p99Ms) front.push(each);
  }
  return front;
}

type SearchPlan = {
  workersMin: number;
  workersMax: number;
  settingsOf(workers: number): PoolSettings[];
  evaluate(settings: PoolSettings): Promise<Prediction>;
};

export type Tried = { settings: PoolSettings; prediction: Prediction };

type SearchResult = {
  /** Undefined: no settings up to `workersMax` meet the target. */
  winner: Tried | undefined;
  tried: Tried[];
};
