import type { RedisConnection } from "@faceline/runtime/redis";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import { rateKeyPrefix } from "@faceline/contracts/wire/names";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimitState } from "../call/ports.ts";

/**
 * A token bucket shared by all ingress processes: in any t seconds at most `burst + rate × t` calls, and a
 * team that keeps to the rate is never refused. The fixed windows of rate-limiter-flexible would allow twice
 * the burst where two windows meet, and would refuse a call that is on time but a millisecond early.
 *
 * The key holds the instant at which the bucket will be full. ARGV: calls, unused, burst, seconds from empty
 * to full. Returns [calls taken of the burst, ms until full], or [burst + 1, ms until there is room for these
 * calls].
 */
const tokenBucketScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local fullMs = tonumber(ARGV[4]) * 1000
local callMs = fullMs / tonumber(ARGV[3])
local fullAt = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + tonumber(ARGV[1]) * callMs
local overMs = fullAt - now - fullMs
if overMs > 0.001 then return {tonumber(ARGV[3]) + 1, math.ceil(overMs)} end
redis.call('SET', KEYS[1], string.format('%.3f', fullAt), 'PX', math.max(1, math.ceil(fullAt - now)))
return {math.ceil((fullAt - now) / callMs - 0.001), math.ceil(fullAt - now)}
`;

/**
 * Limits how often teams call, over all ingress processes. While Redis is unreachable each process counts
 * alone, in fixed windows.
 */
export class RequestRateLimiter {
  readonly #redis: RedisConnection;
  /** One per pair of rate and burst, oldest first. */
  readonly #limiters = new Map<string, Limiter>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    // Defines the script before the first call. A pipeline that is open when ioredis defines a command lacks
    // it, and its end would end the process (ioredis 1931).
    this.#limiterFor({ requestsPerSecond: 1, requestsBurst: 1 });
  }

  /**
   * Whether a team that was just refused would be refused again. Known from memory, without a request to
   * Redis.
   */
  isBlocked(team: string, limits: RateLimits): boolean {
    const limiter = this.#limiterFor(limits);
    return limiter.getInMemoryBlockMsBeforeExpire(limiter.getKey(team)) > 0;
  }

  /** Counts one call. Throws only if something other than Redis fails. */
  async consume(team: string, limits: RateLimits): Promise<RateDecision> {
    const limiter = this.#limiterFor(limits);
    const fullMs = limiter.duration * 1000;
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(team, 1, {
        // The library runs the script only for durations of a second or more; the script reads the limiter's
        // own duration.
        customDuration: Math.max(1, limiter.duration),
      });
      const rate = { limit: limits.requestsBurst, remaining: remainingPoints, resetMs: msBeforeNext };
      return { rate, retryAfterMs: null };
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      const retryAfterMs = rejection.msBeforeNext;
      const rate = { limit: limits.requestsBurst, remaining: 0, resetMs: Math.max(fullMs, retryAfterMs) };
      return { rate, retryAfterMs };
    }
  }

  #limiterFor({ requestsPerSecond, requestsBurst }: RateLimits): Limiter {
    const name = `${requestsPerSecond}/${requestsBurst}`;
    const existing = this.#limiters.get(name);
    if (existing !== undefined) return existing;
    const fullSeconds = requestsBurst / requestsPerSecond;
    // All limiters share one script, because the library defines it as a command of the connection.
    const limiter = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: rateKeyPrefix,
      points: requestsBurst,
      duration: fullSeconds,
      customIncrTtlLuaScript: tokenBucketScript,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: requestsBurst + 1,
      insuranceLimiter: new RateLimiterMemory({
        points: Math.max(requestsBurst, requestsPerSecond),
        duration: Math.max(1, fullSeconds),
      }),
    }) as Limiter;
    const [oldest] = this.#limiters.keys();
    if (oldest !== undefined && this.#limiters.size >= limitersMax) this.#limiters.delete(oldest);
    this.#limiters.set(name, limiter);
    return limiter;
  }
}

/** Pairs of rate and burst in memory. The oldest is dropped, and created again at its next use. */
const limitersMax = 1_000;

type RateLimits = Pick<TeamLimits, "requestsPerSecond" | "requestsBurst">;

/** `retryAfterMs` is null if the call is admitted. */
type RateDecision = { rate: RateLimitState; retryAfterMs: number | null };

/** The library's type declarations omit this method. */
type Limiter = RateLimiterRedis & { getInMemoryBlockMsBeforeExpire(key: string): number };
