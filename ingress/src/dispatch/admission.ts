import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { FastifyRequest } from "fastify";
import { ApiError, retryAfterMs } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";

/**
 * Returns the pool that would finish a call first; of several the one with the shortest queue for each
 * worker. The expected wait that pools report is that of a tenant without waiting tasks, a lower bound for
 * every tenant.
 *
 * Throws `model_unavailable` if no pool has a worker for any of the lanes, and `queue_timeout` if none would
 * finish by `deadlineAt`. The batcher may still refuse what passes here: a pool state is up to 100 ms old and
 * knows no tenants.
 */
export function soonestPool(
  states: PoolState[],
  lanes: ReadonlySet<string>,
  now: number,
  deadlineAt: number,
): string {
  const available = states.flatMap(({ pool, lanes: poolLanes }) =>
    poolLanes
      .filter(({ lane, workers }) => lanes.has(lane) && workers > 0)
      .map(({ expectedWaitMs, expectedRunMs, waiting, workers }) => ({
        pool,
        expectedWaitMs,
        durationMs: expectedWaitMs + expectedRunMs,
        waitingPerWorker: waiting / workers,
      })),
  );
  const [soonest] = available.toSorted(
    (a, b) => a.durationMs - b.durationMs || a.waitingPerWorker - b.waitingPerWorker,
  );
  if (soonest === undefined) {
    const detail = "No worker has this model and detector loaded.";
    throw new ApiError("model_unavailable", detail, { retryAfterMs: retryAfterMs.worker });
  }
  if (now + soonest.durationMs > deadlineAt) {
    const detail = "The call could not be answered within its deadline.";
    throw new ApiError("queue_timeout", detail, {
      retryAfterMs: soonest.expectedWaitMs,
      shed: "deadline_infeasible",
    });
  }
  return soonest.pool;
}

/**
 * Returns a hook that rejects a call before its body is read, if none of the enabled lanes could finish it by
 * its deadline. For endpoints that always need a worker: a /verify or a /compare of vectors alone needs none,
 * so their calls are rejected after the body was read.
 */
export const rejectEarly =
  (ports: Ports, lanes: ReadonlySet<string>) =>
  async ({ requestContext }: FastifyRequest): Promise<void> => {
    soonestPool(ports.poolStates(), lanes, ports.clock.now(), requestContext!.deadlineAt);
  };
