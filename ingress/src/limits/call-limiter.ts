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
  readonly #details: LimitDetails;

  /** `details`: the sentences of `rate_limited`. */
  constructor(redis: RedisConnection, ingress: string, details: LimitDetails = teamDetails) {
    this.#rates = new RequestRateLimiter(redis);
    this.#inFlight = new InFlightLimiter(redis, ingress);
    this.#details = details;
  }

  /** Counts a call of `caller`, a team or an address. Does not throw. */
  async acquire(caller: string, limits: CallLimits): Promise<CallSlot> {
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
        error: new ApiError("rate_limited", this.#details.rate(limits), { retryAfterMs }),
        release() {},
      };
    }
    if (limitsInFlight && slot === null) {
      const retryAfterMs = this.#inFlight.expectedReleaseMs(inFlightMax);
      const detail = this.#details.inFlight(inFlightMax);
      return { ...rate, error: new ApiError("rate_limited", detail, { retryAfterMs }), release() {} };
    }
    return { ...rate, release };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inFlight[Symbol.asyncDispose]();
  }
}

const teamDetails: LimitDetails = {
  rate: ({ requestsPerSecond, requestsBurst }) =>
    `Your team may send ${requestsPerSecond} requests per second, in bursts of up to ${requestsBurst}.`,
  inFlight: (max) => `Your team has ${max} requests in flight, which is its limit.`,
};

/** 0: not limited. */
type CallLimits = Pick<TeamLimits, "requestsPerSecond" | "requestsBurst" | "inFlightMax">;

type LimitDetails = {
  rate(limits: CallLimits): string;
  inFlight(max: number): string;
};
