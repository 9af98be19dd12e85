import type { FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { DispatchedCall, Ports } from "../call/ports.ts";
import { dispatchRefusal, type OwnState, refusal } from "../call/refusal-cause.ts";
import { chooseOffer, type PoolView, poolOffers, soonestOffer } from "../pools/pool-choice.ts";

/**
 * Returns the pool that a call is sent to: one of those that would finish it by its deadline, see
 * `chooseOffer`. The expected wait that pools report is that of a tenant without waiting tasks, a lower bound
 * for every tenant.
 *
 * Throws what `dispatchRefusal` says if no pool has a worker for any of the lanes, and `queue_timeout` if
 * none would finish by the deadline of the call. The batcher may still refuse what passes here: a pool state
 * is up to 100 ms old and knows no tenants.
 */
export function admitToPool(
  views: readonly PoolView[],
  lanes: ReadonlySet<string>,
  { deadlineAt }: Pick<DispatchedCall, "deadlineAt">,
  { now, random, own }: { now: number; random: () => number; own: OwnState },
): string {
  const offers = poolOffers(views, lanes);
  const soonest = soonestOffer(offers);
  if (soonest === undefined) {
    const states = views.map(({ state }) => state);
    throw dispatchRefusal(own, states);
  }
  const chosen = chooseOffer(offers, deadlineAt - now, random);
  if (chosen !== undefined) return chosen.pool;
  // Such a request would be served if its deadline were later than the end of the time without a batcher.
  if (soonest.takeoverMs > 0) throw refusal("batcher");
  throw new ApiError("queue_timeout", "The request could not be answered within its deadline.", {
    retryAfterMs: soonest.waitMs,
    shed: "deadline_infeasible",
  });
}

/**
 * Returns a hook that rejects a call before its body is read, if none of the enabled lanes could finish it by
 * its deadline. For endpoints that always need a worker: a /verify or a /compare of vectors alone needs none,
 * so their calls are rejected after the body was read.
 */
export const rejectEarly =
  (ports: Ports, lanes: ReadonlySet<string>) =>
  async ({ requestContext }: FastifyRequest): Promise<void> => {
    const views = ports.poolStates().map((state) => ({ state, sentTasks: () => 0, takeoverMs: 0 }));
    const own = { ...ports.dependencyHealth(), isServing: ports.isServing() };
    // Only whether there is a pool counts here: the lane is not known yet.
    admitToPool(views, lanes, requestContext!, { now: ports.clock.now(), random: () => 0, own });
  };
