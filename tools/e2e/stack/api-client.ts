import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns a function that posts JSON with a key to one ingress, once: for tests of refusals. */
export const singlePost =
  (address: string, key: string): Post =>
  async (path, body, headers = {}) => {
    const reply = await fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key, ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };

/**
 * Returns a function that posts likewise, and again after the Retry-After of each 503, as clients do: a machine
 * that is busy refuses some requests, and fails no test. A lost or wrong answer has another status.
 */
export const apiClient = (address: string, key: string): Post => {
  const post = singlePost(address, key);
  return async (path, body, headers) => {
    for (let tries = 1; ; tries++) {
      const reply = await post(path, body, headers);
      if (reply.status !== 503 || tries === triesMax) return reply;
      await sleep(1_000 * Number(reply.headers.get("retry-after")));
    }
  };
};

/** Minutes, as of `waitUntil`: only a service that never recovers is refused that often. */
const triesMax = 120;

/**
 * Runs `work` for every item, with at most `inFlightMax` at a time. Returns the results in the order of the
 * items.
 */
export async function runConcurrently<Item, Result>(
  { inFlightMax }: { inFlightMax: number },
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const worker = async () => {
    for (const [index, item] of remaining) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
  return results;
}

/** Reads a picture as Base64, for the body of a call. */
export const readBase64 = (file: string): string => readFileSync(file).toString("base64");

export type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>;

type Reply = { status: number; headers: Headers; body: unknown };
