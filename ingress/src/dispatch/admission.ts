import type { LaneState, PoolState } from "@faceline/contracts/wire/pool-state";
import type { ServiceClass } from "@faceline/contracts/wire/task";
import type { FastifyRequest } from "fastify";
import { ApiError, capacityReached, retryAfterMs } from "../call/api-error.ts";
import type { DispatchedCall, Ports } from "../call/ports.ts";

/**
 * Returns the pool that would finish a call first; of several the one with the shortest queue for each
 * worker. The expected wait that pools report is that of a tenant without waiting tasks, a lower bound for
 * every tenant. A best-effort call waits for what teams leave.
 *
 * Throws `model_unavailable` if no pool has a worker for any of the lanes, `queue_timeout` if none would
 * finish by the deadline of the call, and `queue_full` if none has a place for a best-effort call. The
 * batcher may still refuse what passes here: a pool state is up to 100 ms old and knows no tenants.
 */
export function soonestPool(
  states: PoolState[],
  lanes: ReadonlySet<string>,
  { serviceClass, deadlineAt }: Pick<DispatchedCall, "serviceClass" | "deadlineAt">,
  now: number,
): string {
  const live = states.flatMap(({ pool, lanes: poolLanes }) =>
    poolLanes
      .filter(({ lane, workers, loadable }) => lanes.has(lane) && workers + loadable > 0)
      .map((lane) => ({ pool, lane, waitMs: waitMsOf(lane, serviceClass) })),
  );
  const available = live.flatMap(({ pool, lane, waitMs }) =>
    waitMs === null
      ? []
      : {
          pool,
          expectedWaitMs: waitMs,
          durationMs: waitMs + lane.expectedRunMs,
          waitingPerWorker: lane.waiting / (lane.workers + lane.loadable),
          isLoaded: lane.workers > 0,
        },
  );
  const [soonest] = available.toSorted(
    (a, b) => a.durationMs - b.durationMs || a.waitingPerWorker - b.waitingPerWorker,
  );
  if (soonest === undefined && live.length > 0) {
    throw capacityReached("queue_too_long", "Too many anonymous calls are waiting.");
  }
  if (soonest === undefined) {
    const detail = "No worker has this model and detector loaded.";
    throw new ApiError("model_unavailable", detail, { retryAfterMs: retryAfterMs.worker });
  }
  // Where the lane must be loaded first the batcher refuses, because its arrival there begins the load.
  if (now + soonest.durationMs > deadlineAt && soonest.isLoaded) {
    const detail = "The call could not be answered within its deadline.";
    throw new ApiError("queue_timeout", detail, {
      retryAfterMs: soonest.expectedWaitMs,
      shed: "deadline_infeasible",
    });
  }
  return soonest.pool;
}

const waitMsOf = ({ expectedWaitMs, bestEffortWaitMs }: LaneState, serviceClass: ServiceClass) =>
  serviceClass === "standard" ? expectedWaitMs : bestEffortWaitMs;

/**
 * Returns a hook that rejects a call before its body is read, if none of the enabled lanes could finish it by
 * its deadline. For endpoints that always need a worker: a /verify or a /compare of vectors alone needs none,
 * so their calls are rejected after the body was read.
 */
export const rejectEarly =
  (ports: Ports, lanes: () => ReadonlySet<string>) =>
  async ({ requestContext }: FastifyRequest): Promise<void> => {
    soonestPool(ports.poolStates(), lanes(), requestContext!, ports.clock.now());
  };
