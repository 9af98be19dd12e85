import type { LiveIngress, LivePool } from "@faceline/runtime/live/state";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { CallHistory } from "./call-history.ts";

/** Returns what the live page shows of an ingress. */
export function liveIngress(history: CallHistory, parts: IngressParts): LiveIngress {
  const { now, active, connections, bodyBytes, imageBytes, pools, settings } = parts;
  return {
    kind: "ingress",
    ...history.read(now),
    active,
    limits: [
      { name: "bodies", used: bodyBytes, max: settings.BODIES_IN_FLIGHT_BYTES_MAX, unit: "bytes" },
      { name: "images", used: imageBytes, max: settings.IMAGES_IN_FLIGHT_BYTES_MAX, unit: "bytes" },
      { name: "connections", used: connections, max: settings.CONNECTIONS_MAX, unit: "connections" },
    ],
    pools: settings.POOLS.map((pool) => livePool(pool, pools)),
  };
}

function livePool(pool: string, states: PoolState[]): LivePool {
  const state = states.find((each) => each.pool === pool);
  const lanes = state?.lanes.slice(0, lanesShownMax).map(({ lane, waiting, workers, expectedWaitMs }) => ({
    lane,
    waiting,
    workers,
    expectedWaitMs,
  }));
  return { pool, lanes: lanes ?? null };
}

const lanesShownMax = 16;

type IngressParts = {
  now: number;
  active: number;
  connections: number;
  bodyBytes: number;
  imageBytes: number;
  pools: PoolState[];
  settings: {
    BODIES_IN_FLIGHT_BYTES_MAX: number;
    IMAGES_IN_FLIGHT_BYTES_MAX: number;
    CONNECTIONS_MAX: number;
    POOLS: string[];
  };
};
