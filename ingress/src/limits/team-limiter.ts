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
    `The team may send ${requestsPerSecond} requests per second, in bursts of up to ${requestsBurst}.`,
  inFlight: (max) => `The team has ${max} requests in flight, as many as it may have.`,
};

type TeamLimiter = AsyncDisposable & { acquire: Ports["acquireTeamSlot"] };
