import type { PoolState } from "@faceline/contracts/wire/pool-state";

/**
 * Returns what each pool with one of the lanes offers a call: one entry for each build that its
 * workers have. Pools without such a worker are left out.
 */
export function poolOffers(views: readonly PoolView[], lanes: ReadonlySet<string>): PoolOffer[] {
  const offers: PoolOffer[] = [];
  for (const view of views) {
    for (const lane of view.state.lanes) {
      if (!lanes.has(lane.lane) || lane.workers === 0) continue;
      const taskMs = Math.max(lane.taskMs, taskMinMs);
      const ownMs = lane.expectedWaitMs + lane.expectedRunMs;
      const costMs = view.takeoverMs + ownMs + (lane.waiting + view.sentTasks(lane.lane)) * taskMs;
      // Without a batcher, nothing is sent to workers: everything that waits goes before the request.
      const durationMs = view.takeoverMs > 0 ? costMs : ownMs;
      offers.push({
        pool: view.state.pool,
        waitMs: lane.expectedWaitMs,
        durationMs,
        costMs,
        tasksPerMs: 1 / taskMs,
        takeoverMs: view.takeoverMs,
      });
    }
  }
  return offers;
}

/** A lower bound, faster than any worker, so that nothing is divided by zero. */
const taskMinMs = 0.001;

/** Returns the offer that would finish a call first; undefined if there is none. */
export const soonestOffer = (offers: readonly PoolOffer[]): PoolOffer | undefined =>
  offers.reduce<PoolOffer | undefined>(
    (best, each) => (best && isSooner(best, each) ? best : each),
    undefined,
  );

const isSooner = (one: PoolOffer, other: PoolOffer): boolean =>
  one.durationMs < other.durationMs || (one.durationMs === other.durationMs && one.costMs <= other.costMs);

/**
 * Chooses among the offers that would finish within `withinMs`. Two pools are drawn at random, each as
 * often as its workers are fast; the second is taken only if it would cost so much less that the difference
 * cannot be due to the age of the states. All ingresses have the same states, up to 100 ms old: if each took
 * the best pool, or the better one of two, they would overload it until the next state (Mitzenmacher, "How
 * useful is old information?", 2000). Undefined: there is no such offer. `random` returns numbers from 0 to
 * less than 1, and is not called for one offer.
 */
export function chooseOffer(
  offers: readonly PoolOffer[],
  withinMs: number,
  random: () => number,
): PoolOffer | undefined {
  const candidates = offers.filter((each) => each.durationMs <= withinMs);
  if (candidates.length <= 1) return candidates[0];
  const first = draw(candidates, random());
  const others = candidates.filter((each) => each !== first);
  const second = draw(others, random());
  return second.costMs < first.costMs - staleDifferenceMs ? second : first;
}

/** Half of the interval at which batchers publish states that have changed. */
const staleDifferenceMs = 50;

/** `at`: from 0 to less than 1. */
function draw(offers: readonly PoolOffer[], at: number): PoolOffer {
  const total = offers.reduce((sum, { tasksPerMs }) => sum + tasksPerMs, 0);
  let left = at * total;
  for (const offer of offers) {
    left -= offer.tasksPerMs;
    if (left < 0) return offer;
  }
  return offers.at(-1)!;
}

export type PoolView = {
  /** The pool's last state. */
  state: PoolState;
  /** How many tasks of a lane this process has sent to the pool since. */
  sentTasks(lane: string): number;
  /** Time until the standby decides at the latest, if the batcher has fallen silent; else 0. */
  takeoverMs: number;
};

export type PoolOffer = {
  pool: string;
  /** The expected wait that the pool has reported. */
  waitMs: number;
  /**
   * Wait and run: a lower bound for every tenant, because the wait is that of one without waiting tasks.
   */
  durationMs: number;
  /**
   * The same with the work of all tasks that wait there, and of those that this process has sent since the
   * state: what pools are compared by.
   */
  costMs: number;
  /** How fast its workers are together. */
  tasksPerMs: number;
  /** See PoolView. It is a part of `durationMs`. */
  takeoverMs: number;
};
