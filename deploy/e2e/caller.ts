import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A client of one ingress, which sends JSON with a key. */
export const caller =
  (address: string, key: string): Post =>
  async (path, body, headers = {}) => {
    const reply = await fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key, ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };

/** Comes again when it is refused in overload, as the reply asks: a machine that is busy elsewhere fails no test. */
export const patient =
  (post: Post, triesMax = 10): Post =>
  async (path, body, headers) => {
    for (let tries = 1; ; tries++) {
      const reply = await post(path, body, headers);
      if (reply.status !== 503 || tries === triesMax) return reply;
      await sleep(1_000 * Number(reply.headers.get("retry-after")));
    }
  };

/** Does the work for every item, so many at a time. The results come in the order of the items. */
export async function together<Item, Result>(
  { inFlightMax }: { inFlightMax: number },
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const hand = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: inFlightMax }, hand));
  return results;
}

/** A picture as the API takes it. */
export const base64Of = (file: string): string => readFileSync(file).toString("base64");

export type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>;

export type Reply = { status: number; headers: Headers; body: unknown };
