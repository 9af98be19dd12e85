import type { Redis } from "ioredis";
import { bestEffort } from "./best-effort.ts";
import { ClockOffset } from "./clock-offset.ts";
import { firstCommandFault } from "./redis.ts";

/**
 * The only source of time in a service. `now()` returns epoch milliseconds on the shared clock, which can be
 * compared with a `deadlineAt` of any process. It runs backwards only when the server's clock is set back.
 */
export type Clock = { now(): number };

/** Interval at which the offset to the server's clock is measured. */
const measurementIntervalMs = 5_000;

/**
 * Returns the clock that all processes share: this process' monotonic clock plus its measured offset to
 * `TIME` of the volatile Redis, so a step of a host's wall clock does not move deadlines. Throws when the
 * first measurements fail.
 */
export async function openSharedClock(redis: Pick<Redis, "time">): Promise<Clock & AsyncDisposable> {
  const offset = new ClockOffset();
  let latest = 0;

  const measure = async (): Promise<void> => {
    const sentAt = performance.now();
    const [seconds, micros] = await redis.time();
    const receivedAt = performance.now();
    const serverAt = Number(seconds) * 1000 + Number(micros) / 1000;
    const offsetMs = serverAt - (sentAt + receivedAt) / 2;
    if (!offset.add({ at: receivedAt, roundTripMs: receivedAt - sentAt, offsetMs })) latest = 0;
  };

  // Three, because the first round trip includes the warm-up of the connection.
  for (let i = 0; i < 3; i++) {
    await measure().catch((cause: unknown) => {
      throw firstCommandFault("REDIS_VOLATILE_URL", "TIME", cause);
    });
  }
  // While Redis is unreachable the last offset stays: the monotonic clock drifts by microseconds per second.
  const timer = setInterval(() => bestEffort("clock_measurement", measure()), measurementIntervalMs);

  return {
    now() {
      const monotonic = performance.now();
      latest = Math.max(latest, monotonic + offset.at(monotonic));
      return latest;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
