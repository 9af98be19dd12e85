import type { HealthResponse, LiveResponse } from "@faceline/contracts/http/health";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { revision, version } from "@faceline/runtime/resource";
import type { FastifyReply } from "fastify";
import { type ApiError, retryAfterSeconds } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { dispatchRefusal, ownFault, refusal } from "../call/refusal-cause.ts";
import type { RouteContext } from "./endpoint.ts";

/**
 * GET /health, for people and dashboards: 503 if a compute call could not be served now. Runs no model.
 */
export async function health({ ports, models }: RouteContext, reply: FastifyReply): Promise<HealthResponse> {
  const { refused, response } = serviceHealth(ports, models.lanes);
  if (refused !== undefined) {
    reply.code(refused.status).header("retry-after", retryAfterSeconds(refused.details.retryAfterMs ?? 0));
  }
  return response;
}

/** Returns the response of /health, and the error that a compute request would get now, if any. */
export function serviceHealth(
  ports: Pick<Ports, "dependencyHealth" | "isServing" | "poolStates">,
  enabledLanes: ReadonlySet<string>,
): { response: HealthResponse; refused: ApiError | undefined } {
  const own = { ...ports.dependencyHealth(), isServing: ports.isServing() };
  const { kafka, redis, redisDurable } = own;
  const pools = ports.poolStates();
  const fault = ownFault(own);
  const hasWorkers = pools.some((pool) => canServe(pool, enabledLanes));
  const refused = fault ? refusal(fault) : hasWorkers ? undefined : dispatchRefusal(own, pools);
  const response: HealthResponse = {
    status: refused === undefined ? "ok" : "degraded",
    version,
    ...(revision === undefined ? {} : { revision }),
    checks: {
      kafka: kafka ? "ok" : "unavailable",
      redis: redis ? "ok" : "unavailable",
      redis_durable: redisDurable ? "ok" : "unavailable",
      pools: Object.fromEntries(pools.map((pool) => [pool.pool, laneHealth(pool)])),
    },
    ...(refused && {
      refusal: { error: refused.code, dependency: refused.details.dependency, detail: refused.message },
    }),
  };
  return { response, refused };
}

/**
 * GET /readyz, for load balancers: throws `not_ready` from the moment that this process must stop, and
 * `dependency_unavailable` while Kafka or the volatile Redis does not answer it.
 */
export async function readyz({ ports }: RouteContext): Promise<LiveResponse> {
  const isServing = ports.isServing() && !ports.isStopping();
  const fault = ownFault({ ...ports.dependencyHealth(), isServing });
  if (fault !== undefined) throw refusal(fault);
  return { status: "ok" };
}

/** GET /livez, for restarts: a process that responds is alive, whatever the state of its dependencies. */
export const livez = async (): Promise<LiveResponse> => ({ status: "ok" });

const canServe = ({ lanes }: PoolState, enabledLanes: ReadonlySet<string>): boolean =>
  lanes.some(({ lane, workers }) => workers > 0 && enabledLanes.has(lane));

/** Returns, by lane, the workers of all builds together and the shortest wait of those that have workers. */
function laneHealth({ lanes }: PoolState): HealthResponse["checks"]["pools"][string] {
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
