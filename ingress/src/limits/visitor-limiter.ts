import type { VolatileConnection } from "@faceline/runtime/redis";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import { ApiError } from "../call/api-error.ts";
import { dependencyUnavailable } from "../call/refusal-cause.ts";
import type { CallSlot, Ports } from "../call/ports.ts";
import { networkOf } from "../connections/address-group.ts";
import { CallLimiter } from "./call-limiter.ts";
import { InFlightLimiter } from "./in-flight-limiter.ts";

/**
 * Counts calls of the public tester. `acquire` is for a call whose headers have come: the rate of its
 * address, and the calls of its address that are in flight. `acquireShared` is for one whose body has come as
 * well: the calls of all addresses that are in flight. So nobody can block others by sending slowly.
 *
 * A network may hold as many of the shared slots as stay free. Alone it gets half of them, and the last free
 * one goes to a network that holds none: somebody with many addresses is refused before others are.
 *
 * The state is beside that of the teams, under names that no team can have. While the volatile Redis is
 * unreachable calls are refused: they could not bring images, and a flood of addresses would fill the memory
 * of every ingress.
 */
export function openVisitorLimiter(
  redis: VolatileConnection,
  ingress: string,
  changedLimits: Partial<typeof visitorLimits> = {},
): VisitorLimiter {
  const shared = new InFlightLimiter(redis, ingress);
  const { requestsPerMinute, allInFlightMax: max, ...own } = { ...visitorLimits, ...changedLimits };
  const ofAddress = { ...own, requestsPerSecond: requestsPerMinute / 60 };
  const addresses = new CallLimiter(redis, ingress, {
    rate: ({ requestsBurst }) =>
      `Without a key, one address may send ${requestsPerMinute} requests per minute, in bursts of up to ${requestsBurst}.`,
    inFlight: (max) => `${max} requests from this address are in flight, the most without a key.`,
  });
  const refused = (detail: string): CallSlot => ({
    error: new ApiError("rate_limited", detail, { retryAfterMs: shared.expectedReleaseMs(max) }),
    release() {},
  });

  return {
    async acquire(address) {
      return redis.usable
        ? addresses.acquire(`${visitorsTenant}/${address}`, ofAddress)
        : testerUnavailable(redis);
    },
    async acquireShared(address) {
      if (!redis.usable) return testerUnavailable(redis);
      const all = await shared.acquire(visitorsTenant, max);
      if (all === null)
        return refused(`${max} requests from visitors are in flight, the most without a key.`);
      const freeBefore = max - (all.inFlight - 1);
      const own = await shared.acquire(`${visitorsTenant}/net/${networkOf(address)}`, freeBefore);
      if (own === null) {
        all.release();
        return refused("Your network has most of the requests from visitors in flight.");
      }
      return {
        release() {
          own.release();
          all.release();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([addresses[Symbol.asyncDispose](), shared[Symbol.asyncDispose]()]);
    },
  };
}

const testerUnavailable = ({ isStarved }: VolatileConnection): CallSlot => ({
  error: dependencyUnavailable("redis-volatile", isStarved),
  release() {},
});

export type VisitorLimiter = AsyncDisposable & {
  acquire: Ports["acquireVisitorSlot"];
  acquireShared: Ports["acquireSharedVisitorSlot"];
};

/** Limits of one address, as one person uses the page; and of all together, a fourth of one team's. */
export const visitorLimits = { requestsPerMinute: 30, requestsBurst: 20, inFlightMax: 4, allInFlightMax: 16 };
