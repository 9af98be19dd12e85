import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import { rateKeyPrefix } from "@faceline/contracts/wire/names";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Rate } from "../ports.ts";

/**
 * A token bucket that all ingresses share: in any t seconds at most `burst + rate × t` calls, and one who keeps to the
 * rate is never refused. The windows that the library counts in by itself would let twice the burst through where
 * two of them meet, and would refuse somebody who is on time because he is a millisecond early.
 *
 * What is kept is the instant at which the bucket will be full. ARGV: calls, -, burst, seconds from empty to full.
 * Returns [calls taken of the burst, ms until it is full], or [burst + 1, ms until there is room for these calls].
 */
const bucket = `
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

/** How often teams call. While Redis is away every ingress counts alone, in windows. */
export class RequestRates {
  readonly #redis: RedisConnection;
  /** One for each pair of rate and burst, the oldest first. */
  readonly #limiters = new Map<string, Limiter>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Whether a team that was just refused would be refused again: known without asking Redis. */
  refuses(team: string, limits: RateLimits): boolean {
    const limiter = this.#limiterOf(limits);
    return limiter.getInMemoryBlockMsBeforeExpire(limiter.getKey(team)) > 0;
  }

  async count(team: string, limits: RateLimits): Promise<CountedRate> {
    const limiter = this.#limiterOf(limits);
    const fullMs = limiter.duration * 1000;
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(team, 1, {
        // The library calls the script for whole seconds from one on; the script reads the limiter's own duration.
        customDuration: Math.max(1, limiter.duration),
      });
      const rate = { limit: limits.requestsBurst, remaining: remainingPoints, resetMs: msBeforeNext };
      return { rate, retryAfterMs: null };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const retryAfterMs = refused.msBeforeNext;
      const rate = { limit: limits.requestsBurst, remaining: 0, resetMs: Math.max(fullMs, retryAfterMs) };
      return { rate, retryAfterMs };
    }
  }

  #limiterOf({ requestsPerSecond, requestsBurst }: RateLimits): Limiter {
    const name = `${requestsPerSecond}/${requestsBurst}`;
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const fullSeconds = requestsBurst / requestsPerSecond;
    // All limiters of a connection share one script: the library defines it as a command of the connection.
    const limiter = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: rateKeyPrefix,
      points: requestsBurst,
      duration: fullSeconds,
      customIncrTtlLuaScript: bucket,
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

const limitersMax = 1_000;

type RateLimits = Pick<TeamLimits, "requestsPerSecond" | "requestsBurst">;

/** `retryAfterMs` null: the call is let in. */
export type CountedRate = { rate: Rate; retryAfterMs: number | null };

/** The library's types leave this method out. */
type Limiter = RateLimiterRedis & { getInMemoryBlockMsBeforeExpire(key: string): number };
