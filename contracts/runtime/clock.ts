import type { Redis } from "ioredis";
import { bestEffort } from "./best-effort.ts";

/**
 * The only source of time in a service. `now()` returns epoch milliseconds on the shared clock, which can be
 * compared with a `deadlineAt` of any process. It runs backwards only when the server's clock is set back.
 */
export type Clock = { now(): number };

/** Interval at which the offset to the server's clock is measured, and how long a measurement is used. */
const measurementIntervalMs = 5_000;
const measurementAgeMaxMs = 60_000;

/**
 * Returns the clock that all processes share: this process' monotonic clock plus its measured offset to
 * `TIME` of the volatile Redis, so a step of a host's wall clock does not move deadlines. Of the measurements
 * of the last minute, the one with the shortest round trip is used (Cristian's algorithm: the error is at
 * most half of the round trip). Throws when the first measurements fail.
 */
export async function openSharedClock(redis: Redis): Promise<Clock & AsyncDisposable> {
  const measurements: Measurement[] = [];
  let latest = 0;

  const measure = async (): Promise<void> => {
    const sentAt = performance.now();
    const [seconds, micros] = await redis.time();
    const receivedAt = performance.now();
    const serverAt = Number(seconds) * 1000 + Number(micros) / 1000;
    const offsetMs = serverAt - (sentAt + receivedAt) / 2;
    const measurement = { at: receivedAt, roundTripMs: receivedAt - sentAt, offsetMs };
    // The server's clock was set: earlier measurements and the latest returned time no longer apply.
    if (measurements.some((each) => contradicts(each, measurement))) {
      measurements.length = 0;
      latest = 0;
    }
    measurements.push(measurement);
    while (measurements.length > 1 && receivedAt - measurements[0]!.at > measurementAgeMaxMs)
      measurements.shift();
  };

  // Three, because the first round trip includes the warm-up of the connection.
  for (let i = 0; i < 3; i++) {
    await measure().catch((cause: unknown) => {
      throw new Error(
        "REDIS_VOLATILE_URL: the server does not answer TIME; allow it, or look into the server",
        {
          cause,
        },
      );
    });
  }
  // While Redis is unreachable the last offset stays: the monotonic clock drifts by microseconds per second.
  const timer = setInterval(() => bestEffort("clock_measurement", measure()), measurementIntervalMs);

  return {
    now() {
      const best = measurements.reduce((least, each) =>
        each.roundTripMs < least.roundTripMs ? each : least,
      );
      latest = Math.max(latest, performance.now() + best.offsetMs);
      return latest;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

/** Whether two offsets differ by more than their errors (half a round trip each) and drift can explain. */
const contradicts = (a: Measurement, b: Measurement): boolean =>
  Math.abs(a.offsetMs - b.offsetMs) > (a.roundTripMs + b.roundTripMs) / 2 + driftMaxMs;

const driftMaxMs = 20;

type Measurement = { at: number; roundTripMs: number; offsetMs: number };
