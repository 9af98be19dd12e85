import type { Redis } from "ioredis";

/**
 * The one door to time. `now()` is epoch milliseconds counted by the monotonic clock: comparable with a
 * `deadlineAt` off the wire, and it runs backwards only when the server's own clock is set back.
 */
export type Clock = { now(): number };

/** How often the offset to the server's clock is measured, and for how long a measurement counts. */
const measureEveryMs = 5_000;
const measurementLastsMs = 60_000;

/**
 * The clock that all processes share: the volatile Redis' `TIME`, as an offset over this process' monotonic
 * clock. Wall clocks may step; deadlines stay right. Of the last minute's measurements the one with the least
 * round trip counts, because half of the round trip is what it may be wrong by.
 */
export async function openSharedClock(redis: Redis): Promise<Clock & AsyncDisposable> {
  const measured: Measurement[] = [];
  let latest = 0;

  const measure = async (): Promise<void> => {
    const sentAt = performance.now();
    const [seconds, micros] = await redis.time();
    const receivedAt = performance.now();
    const serverAt = Number(seconds) * 1000 + Number(micros) / 1000;
    const offsetMs = serverAt - (sentAt + receivedAt) / 2;
    const fresh = { at: receivedAt, roundTripMs: receivedAt - sentAt, offsetMs };
    // The server's own clock was set: what was measured before says nothing any more, nor does how far we had
    // got.
    if (measured.some((each) => contradicts(each, fresh))) {
      measured.length = 0;
      latest = 0;
    }
    measured.push(fresh);
    while (measured.length > 1 && receivedAt - measured[0]!.at > measurementLastsMs) measured.shift();
  };

  // The first round trip pays for the connection's warm-up: three of them, and the least counts.
  for (let i = 0; i < 3; i++) await measure();
  // While Redis is away the last offset stands: the monotonic clock drifts by microseconds a second.
  const timer = setInterval(() => void measure().catch(() => {}), measureEveryMs);

  return {
    now() {
      const best = measured.reduce((least, each) => (each.roundTripMs < least.roundTripMs ? each : least));
      latest = Math.max(latest, performance.now() + best.offsetMs);
      return latest;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

/** Each is right to half of its round trip; clocks drift apart by microseconds a second meanwhile. */
const contradicts = (a: Measurement, b: Measurement): boolean =>
  Math.abs(a.offsetMs - b.offsetMs) > (a.roundTripMs + b.roundTripMs) / 2 + driftMaxMs;

const driftMaxMs = 20;

type Measurement = { at: number; roundTripMs: number; offsetMs: number };
