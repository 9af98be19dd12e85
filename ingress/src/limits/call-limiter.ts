import type { RedisConnection } from "@faceline/runtime/redis";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import { ApiError } from "../call/api-error.ts";
import type { CallSlot } from "../call/ports.ts";
import { InFlightLimiter } from "./in-flight-limiter.ts";
import { RequestRateLimiter } from "./request-rate-limiter.ts";

/** Counts calls over all ingress processes: their rate, and how many are in flight. */
export class CallLimiter implements AsyncDisposable {
  readonly #rates: RequestRateLimiter;
  readonly #inFlight: InFlightLimiter;

  constructor(redis: RedisConnection, ingress: string) {
    this.#rates = new RequestRateLimiter(redis);
    this.#inFlight = new InFlightLimiter(redis, ingress);
  }

  /**
   * Counts a call of `caller`, a team or an address. `details` are the sentences of `rate_limited`. Does not
   * throw.
   */
  async acquire(caller: string, limits: CallLimits, details: LimitDetails): Promise<CallSlot> {
    const { requestsPerSecond, requestsBurst, inFlightMax } = limits;
    const limitsRate = requestsPerSecond > 0 && requestsBurst > 0;
    // A caller that floods is refused from memory, without a request to Redis for its calls in flight.
    const limitsInFlight = inFlightMax > 0 && !(limitsRate && this.#rates.isBlocked(caller, limits));
    // Both requests are sent together: one round trip.
    const [decision, slot] = await Promise.all([
      limitsRate ? this.#rates.consume(caller, limits) : null,
      limitsInFlight ? this.#inFlight.acquire(caller, inFlightMax) : null,
    ]);
    const rate = decision === null ? {} : { rate: decision.rate };
    const release = () => slot?.release();
    if (decision !== null && decision.retryAfterMs !== null) {
      release();
      const { retryAfterMs } = decision;
      return {
        ...rate,
        error: new ApiError("rate_limited", details.rate(limits), { retryAfterMs }),
        release() {},
      };
    }
    if (limitsInFlight && slot === null) {
      const retryAfterMs = this.#inFlight.expectedReleaseMs(inFlightMax);
      const detail = details.inFlight(inFlightMax);
      return { ...rate, error: new ApiError("rate_limited", detail, { retryAfterMs }), release() {} };
    }
    return { ...rate, release };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inFlight[Symbol.asyncDispose]();
  }
}

/** 0: not limited. */
type CallLimits = Pick<TeamLimits, "requestsPerSecond" | "requestsBurst" | "inFlightMax">;

export type LimitDetails = {
  rate(limits: CallLimits): string;
  inFlight(max: number): string;
};
