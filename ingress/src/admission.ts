import type { PoolState } from "@faceline/contracts/pool";
import { Refusal } from "./refusal.ts";

/**
 * The lane's pool that would begin soonest. Throws a Refusal: no pool has a worker for any of the lanes, or none would
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
      .map(({ expectedWaitMs, expectedRunMs }) => ({
        pool,
        expectedWaitMs,
        doneInMs: expectedWaitMs + expectedRunMs,
      })),
  );
  const [soonest] = able.toSorted((a, b) => a.doneInMs - b.doneInMs);
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
