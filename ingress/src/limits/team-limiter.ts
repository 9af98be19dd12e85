import type { RedisConnection } from "@faceline/runtime/redis";
import type { Ports } from "../call/ports.ts";
import { CallLimiter, type LimitDetails } from "./call-limiter.ts";

/** Counts calls against the limits of their teams. */
export function openTeamLimiter(redis: RedisConnection, ingress: string): TeamLimiter {
  const limiter = new CallLimiter(redis, ingress);
  return {
    acquire: (team, limits) => limiter.acquire(team, limits, details),
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  };
}

const details: LimitDetails = {
  rate: ({ requestsPerSecond, requestsBurst }) =>
    `Your team may send ${requestsPerSecond} requests per second, in bursts of up to ${requestsBurst}.`,
  inFlight: (max) => `Your team has ${max} requests in flight, which is its limit.`,
};

type TeamLimiter = AsyncDisposable & { acquire: Ports["acquireTeamSlot"] };
