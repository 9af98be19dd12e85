// Covered by ./simulate-cluster.test.ts.
import type { Random } from "@faceline/batcher/simulation/random";
import { ApiError } from "@faceline/ingress/call/api-error";
import { admitToPool } from "@faceline/ingress/dispatch/admission";
import { type PoolView, poolOffers } from "@faceline/ingress/pools/pool-choice";

/** What the product does: the ingress' own code, which also refuses calls that no pool can finish in time. */
const twoDrawn: Choice = (random) => (views, deadlineAt, now) => {
  try {
    const call = { serviceClass: "standard", deadlineAt } as const;
    return admitToPool(views, lanes, call, { now, random: () => random.next() });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** Any pool that has reported within two seconds. */
const randomPool: Choice = (random) => (views) =>
  views.length === 0 ? undefined : random.pick(views).state.pool;

/** Pool after pool; each ingress begins with another one. */
const roundRobin: Choice = (random) => {
  let next = random.below(1_000);
  return (views) => (views.length === 0 ? undefined : views[next++ % views.length]!.state.pool);
};

/** The pool with the least work by its last state, among equal ones any. */
const leastReported: Choice = (random) => (views) => {
  const reported = views.map(({ state }) => ({ state, sentTasks: () => 0 }));
  const offers = poolOffers(reported, lanes, "standard");
  const least = Math.min(...offers.map(({ costMs }) => costMs));
  const equal = offers.filter(({ costMs }) => costMs === least);
  return equal.length === 0 ? undefined : random.pick(equal).pool;
};

export const lane = "Dlib/ssd";
const lanes = new Set([lane]);

/** By the names that the table has. */
export const choices = {
  random: randomPool,
  "round robin": roundRobin,
  "least loaded, as reported": leastReported,
  "two drawn (Faceline)": twoDrawn,
} satisfies Record<string, Choice>;

/** Returns how one ingress chooses: the name of a pool, or undefined where it refuses the call. */
export type Choice = (
  random: Random,
) => (views: readonly PoolView[], deadlineAt: number, now: number) => string | undefined;
