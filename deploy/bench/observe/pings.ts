import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Requests a page every `everyMs` until `work` has ended, and returns the latency of each request in ms, from
 * when it was due: a server that stalls is requested as often as one that does not.
 */
export async function pingsDuring(url: string, everyMs: number, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const pending: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let dueMs = 0; !over.signal.aborted; dueMs += everyMs) {
    const aheadMs = dueMs - (performance.now() - startedAt);
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    pending.push(ping(url, startedAt + dueMs));
  }
  await ended;
  return Promise.all(pending);
}

function ping(url: string, dueAt: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const call = get(url, { agent: false }, (response) => {
    response.resume();
    response.on("end", () => resolve(performance.now() - dueAt));
    response.on("error", reject);
  });
  call.on("error", reject);
  return promise;
}
