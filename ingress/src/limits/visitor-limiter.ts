import type { VolatileConnection } from "@faceline/contracts/runtime/redis";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import { dependencyUnavailable } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { CallLimiter, type LimitDetails } from "./call-limiter.ts";

/**
 * Counts calls of the public tester: those of one address, and those of all addresses together that are in
 * flight. An address comes first, so that calls that its own limits refuse take no slot from other visitors.
 * The state is beside that of the teams, under names that no team can have. While the volatile Redis is
 * unreachable calls are refused: they could not bring pictures, and a flood of addresses would fill the
 * memory of every ingress.
 */
export function openVisitorLimiter(
  redis: VolatileConnection,
  ingress: string,
  settings: VisitorLimits,
): VisitorLimiter {
  const limiter = new CallLimiter(redis, ingress);
  const ofAddress = {
    requestsPerSecond: settings.TESTER_REQUESTS_PER_MINUTE / 60,
    requestsBurst: settings.TESTER_REQUESTS_BURST,
    inFlightMax: settings.TESTER_ADDRESS_IN_FLIGHT_MAX,
  };
  const ofAll = { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: settings.TESTER_IN_FLIGHT_MAX };
  const details: LimitDetails = {
    rate: ({ requestsBurst }) =>
      `From one address ${settings.TESTER_REQUESTS_PER_MINUTE} calls a minute may come without a key, and ${requestsBurst} at once after a pause.`,
    inFlight: (max) => `${max} calls of this address are in flight, as many as may be without a key.`,
  };
  const detailsOfAll: LimitDetails = {
    ...details,
    inFlight: (max) => `${max} visitors' calls are in flight, as many as may be without a key.`,
  };

  return {
    async acquire(address) {
      if (!redis.usable) {
        return {
          error: dependencyUnavailable("The tester is not available right now.", redis.starvation),
          release() {},
        };
      }
      const own = await limiter.acquire(`${visitorsTenant}/${address}`, ofAddress, details);
      if (own.error !== undefined) return own;
      const all = await limiter.acquire(visitorsTenant, ofAll, detailsOfAll);
      if (all.error !== undefined) {
        own.release();
        return { ...own, ...all };
      }
      return {
        ...own,
        release() {
          own.release();
          all.release();
        },
      };
    },
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  };
}

type VisitorLimits = {
  TESTER_REQUESTS_PER_MINUTE: number;
  TESTER_REQUESTS_BURST: number;
  TESTER_ADDRESS_IN_FLIGHT_MAX: number;
  TESTER_IN_FLIGHT_MAX: number;
};

export type VisitorLimiter = AsyncDisposable & { acquire: Ports["acquireVisitorSlot"] };
