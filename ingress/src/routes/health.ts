import type { HealthReply, LiveReply } from "@faceline/contracts/http/health";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { FastifyReply } from "fastify";
import { notReady } from "../http/arrival.ts";
import { version } from "../version.ts";
import type { Desk } from "./desk.ts";

/** GET /health, for people and dashboards. Runs no model. */
export async function health({ ports, offer }: Desk, reply: FastifyReply): Promise<HealthReply> {
  const { kafka, redis } = await ports.checks();
  const pools = ports.poolStates();
  const able = kafka && redis && ports.serving() && pools.some((pool) => canServe(pool, offer.lanes));
  if (!able) reply.code(503).header("retry-after", 1);
  return {
    status: able ? "ok" : "degraded",
    version,
    checks: {
      kafka: kafka ? "ok" : "unavailable",
      redis: redis ? "ok" : "unavailable",
      pools: Object.fromEntries(pools.map((pool) => [pool.pool, lanesOf(pool)])),
    },
  };
}

/** GET /readyz, for load balancers. */
export function ready({ ports }: Desk): LiveReply {
  if (ports.serving()) return { status: "ok" };
  throw notReady();
}

/** GET /livez, for restarts: while the process turns, it is alive, whatever has become of the rest. */
export const alive = (): LiveReply => ({ status: "ok" });

const canServe = ({ lanes }: PoolState, offered: Set<string>): boolean =>
  lanes.some(({ lane, workers }) => workers > 0 && offered.has(lane));

const lanesOf = ({ lanes }: PoolState): HealthReply["checks"]["pools"][string] =>
  Object.fromEntries(
    lanes.map(({ lane, workers, waiting, expectedWaitMs }) => [
      lane,
      { workers, waiting, expected_wait_ms: expectedWaitMs },
    ]),
  );
