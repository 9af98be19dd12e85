import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { Flights } from "./flights.ts";
import { RequestRates } from "./request-rates.ts";

/** Where calls are counted against the limits of their teams: how often they come, and how many are in flight. */
export function openEntrance(redis: RedisConnection, ingress: string): Entrance {
  const rates = new RequestRates(redis);
  const flights = new Flights(redis, ingress);

  return {
    async enter(team, limits) {
      const { requestsPerSecond, requestsBurst, inFlightMax } = limits;
      const limitsRate = requestsPerSecond > 0 && requestsBurst > 0;
      // A team that floods is refused from memory, and does not even ask for room.
      const asks = inFlightMax > 0 && !(limitsRate && rates.refuses(team, limits));
      // Both are sent before either is answered: one round trip.
      const [counted, flight] = await Promise.all([
        limitsRate ? rates.count(team, limits) : null,
        asks ? flights.take(team, inFlightMax) : null,
      ]);
      const rate = counted === null ? {} : { rate: counted.rate };
      const leave = () => flight?.leave();
      if (counted !== null && counted.retryAfterMs !== null) {
        leave();
        const detail = `The team may send ${requestsPerSecond} calls a second, and ${requestsBurst} at once after a pause.`;
        const refusal = new Refusal("rate_limited", detail, { retryAfterMs: counted.retryAfterMs });
        return { ...rate, refusal, leave() {} };
      }
      if (asks && flight === null) {
        const retryAfterMs = flights.roomAfterMs(inFlightMax);
        const detail = `The team has ${inFlightMax} calls in flight, as many as it may have.`;
        return { ...rate, refusal: new Refusal("rate_limited", detail, { retryAfterMs }), leave() {} };
      }
      return { ...rate, leave };
    },
    [Symbol.asyncDispose]: () => flights[Symbol.asyncDispose](),
  };
}

export type Entrance = AsyncDisposable & { enter: Ports["enter"] };
