import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpClient } from "@faceline/bench/load/http-client";

/**
 * Sends calls at twice the default rate of a team, with at most as many in flight as it may have. Refusals
 * are ignored: the next call is sent when it is due. Resolves when `stop` aborts, which closes all
 * connections.
 */
export async function sendCalls(calls: Call[], server: NoiseServer, stop: AbortSignal): Promise<NoiseCounts> {
  using opened = new DisposableStack();
  const clients = calls.map(({ path, headers, body }) => {
    const all = { "x-api-key": server.key, ...headers };
    const target = { url: `${server.url}${path}`, headers: all, bodies: [body] };
    return opened.use(new HttpClient(target, inFlightMax));
  });
  const counts: NoiseCounts = {};
  let nextAt = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    for (;;) {
      const now = performance.now();
      nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
      await sleep(nextAt - now, undefined, { signal: stop });
      const { status } = await clients[next++ % clients.length]!.post(0, giveUpMs);
      if (stop.aborted) return;
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  const callers = Array.from({ length: inFlightMax }, caller);
  await Promise.race([Promise.allSettled(callers), once(stop, "abort")]);
  return counts;
}

const perSecond = 100;
const inFlightMax = 64;
/** Longer than the longest deadline. */
const giveUpMs = 130_000;

/** `body` is JSON. */
type Call = { path: string; headers?: Record<string, string>; body: string };

/** Makes its bodies, and returns the function that sends them until `stop` aborts. */
export type Noise = () => Promise<(server: NoiseServer, stop: AbortSignal) => Promise<NoiseCounts>>;

export type NoiseServer = { url: string; key: string };

/** Calls by the way they ended. */
export type NoiseCounts = Record<string, number>;
