import type { LaneState, PoolState } from "@faceline/contracts/wire/pool-state";
import type { ServiceClass } from "@faceline/contracts/wire/task";

/**
 * Returns what each pool with one of the lanes offers a call of this class: one entry for each build that its
 * workers have or can load. Pools without such a worker are left out.
 */
export function poolOffers(
  views: readonly PoolView[],
  lanes: ReadonlySet<string>,
  serviceClass: ServiceClass,
): PoolOffer[] {
  const offers: PoolOffer[] = [];
  for (const view of views) {
    for (const lane of view.state.lanes) {
      if (!lanes.has(lane.lane) || lane.workers + lane.loadable === 0) continue;
      const waitMs = serviceClass === "standard" ? lane.expectedWaitMs : lane.bestEffortWaitMs;
      const durationMs = (waitMs ?? 0) + lane.expectedRunMs;
      const costMs = durationMs + (lane.waiting + view.sentTasks(lane.lane)) * taskMsOf(lane);
      offers.push({ pool: view.state.pool, isLoaded: lane.workers > 0, waitMs, durationMs, costMs });
    }
  }
  return offers;
}

/** A batcher of the release before does not say it: then a task counts as a run of its own. */
const taskMsOf = ({ taskMs, expectedRunMs, workers, loadable }: LaneState): number =>
  taskMs ?? expectedRunMs / (workers + loadable);

/** Returns the offer that would finish a call first; undefined if none takes a call of this class. */
export const soonestOffer = (offers: readonly PoolOffer[]): OpenOffer | undefined =>
  offers
    .filter(isOpen)
    .reduce<OpenOffer | undefined>((best, each) => (best && isSooner(best, each) ? best : each), undefined);

const isSooner = (one: OpenOffer, other: OpenOffer): boolean =>
  one.durationMs < other.durationMs || (one.durationMs === other.durationMs && one.costMs <= other.costMs);

/**
 * Chooses among the loaded offers that would finish within `withinMs`: the better one of two that are drawn
 * at random ("the power of two choices", Mitzenmacher 2001). States are up to 100 ms old and all ingresses
 * have the same ones, so if each took the best pool, all would overload it until the next state. Undefined:
 * there is no such offer. `random` returns numbers from 0 to less than 1, and is not called for one offer.
 */
export function chooseOffer(
  offers: readonly PoolOffer[],
  withinMs: number,
  random: () => number,
): OpenOffer | undefined {
  const candidates = offers.filter(isOpen).filter((each) => each.isLoaded && each.durationMs <= withinMs);
  const count = candidates.length;
  if (count <= 1) return candidates[0];
  const first = Math.floor(random() * count);
  const second = (first + 1 + Math.floor(random() * (count - 1))) % count;
  const [one, other] = [candidates[first]!, candidates[second]!];
  return other.costMs < one.costMs ? other : one;
}

const isOpen = (offer: PoolOffer): offer is OpenOffer => offer.waitMs !== null;

/** A pool's last state, and how many tasks of a lane this process has sent to it since. */
export type PoolView = { state: PoolState; sentTasks(lane: string): number };

export type PoolOffer = {
  pool: string;
  /** Whether a worker has the lane loaded; otherwise one can load it. */
  isLoaded: boolean;
  /** The expected wait that the pool has reported for the class. Null: it takes no further call of it. */
  waitMs: number | null;
  /**
   * That wait and a run: a lower bound for every tenant, because the wait is that of one without waiting
   * tasks.
   */
  durationMs: number;
  /**
   * The same with the work of all tasks that wait there, and of those that this process has sent since the
   * state: what pools are compared by.
   */
  costMs: number;
};

type OpenOffer = PoolOffer & { waitMs: number };
