import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { ApiError } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { InFlightLimiter } from "./in-flight-limiter.ts";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

/**
 * Counts calls against the limits of their teams, over all ingress processes: their rate, and how many are in
 * flight.
 */
export function openTeamLimiter(redis: RedisConnection, ingress: string): TeamLimiter {
  const rates = new RequestRateLimiter(redis);
  const inFlight = new InFlightLimiter(redis, ingress);

  return {
    async acquire(team, limits) {
      const { requestsPerSecond, requestsBurst, inFlightMax } = limits;
      const limitsRate = requestsPerSecond > 0 && requestsBurst > 0;
      // A team that floods is refused from memory, without a request to Redis for its calls in flight.
      const limitsInFlight = inFlightMax > 0 && !(limitsRate && rates.isBlocked(team, limits));
      // Both requests are sent together: one round trip.
      const [decision, slot] = await Promise.all([
        limitsRate ? rates.consume(team, limits) : null,
        limitsInFlight ? inFlight.acquire(team, inFlightMax) : null,
      ]);
      const rate = decision === null ? {} : { rate: decision.rate };
      const release = () => slot?.release();
      if (decision !== null && decision.retryAfterMs !== null) {
        release();
        const detail = `The team may send ${requestsPerSecond} calls a second, and ${requestsBurst} at once after a pause.`;
        const error = new ApiError("rate_limited", detail, { retryAfterMs: decision.retryAfterMs });
        return { ...rate, error, release() {} };
      }
      if (limitsInFlight && slot === null) {
        const retryAfterMs = inFlight.expectedReleaseMs(inFlightMax);
        const detail = `The team has ${inFlightMax} calls in flight, as many as it may have.`;
        return { ...rate, error: new ApiError("rate_limited", detail, { retryAfterMs }), release() {} };
      }
      return { ...rate, release };
    },
    [Symbol.asyncDispose]: () => inFlight[Symbol.asyncDispose](),
  };
}

export type TeamLimiter = AsyncDisposable & { acquire: Ports["acquireTeamSlot"] };
