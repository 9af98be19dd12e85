import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { Refusal } from "./refusal.ts";

/**
 * The pool that would be done soonest, and of several the one with the shortest queue: the expected wait is that of a tenant
 * with nothing waiting, a lower bound for everybody. Throws a Refusal: no pool has a worker for any of the lanes, or none would
 * be done by the deadline. What it lets through, the batcher may still refuse: a pool's state is up to 100 ms old and
 * knows nothing of tenants.
 */
export function soonestPool(
  states: PoolState[],
  lanes: ReadonlySet<string>,
  now: number,
  deadlineAt: number,
): string {
  const able = states.flatMap(({ pool, lanes: loaded }) =>
    loaded
      .filter(({ lane, workers }) => lanes.has(lane) && workers > 0)
      .map(({ expectedWaitMs, expectedRunMs, waiting, workers }) => ({
        pool,
        expectedWaitMs,
        doneInMs: expectedWaitMs + expectedRunMs,
        queue: waiting / workers,
      })),
  );
  const [soonest] = able.toSorted((a, b) => a.doneInMs - b.doneInMs || a.queue - b.queue);
  if (soonest === undefined) {
    const detail = "No worker has this model and detector loaded.";
    throw new Refusal("model_unavailable", detail, { retryAfterMs: workersRetryMs });
  }
  if (now + soonest.doneInMs > deadlineAt) {
    const detail = "The call could not be answered within its deadline.";
    throw new Refusal("queue_timeout", detail, { retryAfterMs: soonest.expectedWaitMs });
  }
  return soonest.pool;
}

/** A worker that has died is started again in about this time. */
const workersRetryMs = 3_000;
