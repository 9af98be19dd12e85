import type { HealthReply, LiveReply } from "@faceline/contracts/http/health";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { revision, version } from "@faceline/runtime/resource";
import type { FastifyReply } from "fastify";
import { notServing, retryAfterMs, retryAfterSeconds } from "../call/api-error.ts";
import type { RouteContext } from "./endpoint.ts";

/**
 * GET /health, for people and dashboards: 503 if a compute call could not be served now. Runs no model.
 */
export async function health({ ports, models }: RouteContext, reply: FastifyReply): Promise<HealthReply> {
  const { kafka, redis } = ports.dependencyHealth();
  const pools = ports.poolStates();
  const healthy =
    kafka && redis && ports.isServing() && pools.some((pool) => canServe(pool, models.enabled.lanes));
  if (!healthy) reply.code(503).header("retry-after", retryAfterSeconds(retryAfterMs.notServing));
  return {
    status: healthy ? "ok" : "degraded",
    version,
    ...(revision === undefined ? {} : { revision }),
    checks: {
      kafka: kafka ? "ok" : "unavailable",
      redis: redis ? "ok" : "unavailable",
      pools: Object.fromEntries(pools.map((pool) => [pool.pool, laneHealth(pool)])),
    },
  };
}

/**
 * GET /readyz, for load balancers: throws `not_ready` before this process can serve, from the moment that it
 * must stop, and while Kafka or the volatile Redis does not answer it.
 */
export async function readyz({ ports }: RouteContext): Promise<LiveReply> {
  const { kafka, redis } = ports.dependencyHealth();
  if (ports.isServing() && !ports.isStopping() && kafka && redis) return { status: "ok" };
  throw notServing();
}

/** GET /livez, for restarts: a process that replies is alive, whatever the state of its dependencies. */
export const livez = async (): Promise<LiveReply> => ({ status: "ok" });

const canServe = ({ lanes }: PoolState, enabledLanes: ReadonlySet<string>): boolean =>
  lanes.some(({ lane, workers, loadable }) => workers + loadable > 0 && enabledLanes.has(lane));

/** Returns, by lane, the workers of all builds together and the shortest wait of those that have workers. */
function laneHealth({ lanes }: PoolState): HealthReply["checks"]["pools"][string] {
  const byLane = Map.groupBy(lanes, ({ lane }) => lane);
  return Object.fromEntries(
    [...byLane].map(([lane, builds]) => {
      const live = builds.filter(({ workers }) => workers > 0);
      const waits = (live.length > 0 ? live : builds).map(({ expectedWaitMs }) => expectedWaitMs);
      return [
        lane,
        {
          workers: builds.reduce((sum, each) => sum + each.workers, 0),
          waiting: builds.reduce((sum, each) => sum + each.waiting, 0),
          expected_wait_ms: Math.min(...waits),
        },
      ];
    }),
  );
}
