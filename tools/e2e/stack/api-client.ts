import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a function that posts JSON with a key to one ingress, and again after the Retry-After of a 503, as
 * clients do: a busy machine refuses some requests, and fails no test. By default it tries for minutes.
 */
export const apiClient =
  (address: string, key: string, triesMax = 120): Post =>
  async (path, body, headers = {}) => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${address}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key, ...headers },
        body: JSON.stringify(body),
      });
      const { status } = response;
      const result = { status, headers: response.headers, body: await response.json() };
      if (status !== 503 || tries === triesMax) return result;
      await sleep(1_000 * Number(response.headers.get("retry-after")));
    }
  };

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

/** Reads an image as Base64, for the body of a call. */
export const readBase64 = (file: string): string => readFileSync(file).toString("base64");

export type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;

type Response = { status: number; headers: Headers; body: unknown };
