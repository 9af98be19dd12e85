/** A client of the service that measures what a client sees. */
export class Caller {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #bodies: string[];

  /** The bodies are sent in turn. */
  constructor(url: string, key: string, bodies: unknown[]) {
    this.#url = url;
    this.#headers = { "content-type": "application/json", "x-api-key": key };
    this.#bodies = bodies.map((body) => JSON.stringify(body));
  }

  /** From the call to the last byte of its answer. Throws where the answer is not 200. */
  async call(index: number): Promise<ServedCall> {
    const begunAt = performance.now();
    const body = this.#bodies[index % this.#bodies.length]!;
    const reply = await fetch(this.#url, { method: "POST", headers: this.#headers, body });
    const text = await reply.text();
    const tookMs = performance.now() - begunAt;
    if (reply.status !== 200) throw new Error(`${reply.status} ${text.slice(0, 200)}`);
    return { tookMs, ...readServerTiming(reply.headers.get("server-timing") ?? "") };
  }

  /** Milliseconds of all, with so many calls in flight. */
  async flood(count: number, inFlight: number): Promise<number> {
    const begunAt = performance.now();
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < count) await this.call(next++);
    };
    await Promise.all(Array.from({ length: inFlight }, caller));
    return performance.now() - begunAt;
  }
}

/** `queue;dur=1.2, batch;dur=3.4, …` */
export function readServerTiming(header: string): Omit<ServedCall, "tookMs"> {
  const stages = header.matchAll(/(\w+);dur=([\d.]+)/g);
  const {
    queue = 0,
    batch = 0,
    infer = 0,
  } = Object.fromEntries([...stages].map(([, name, ms]) => [name, Number(ms)]));
  return { queueMs: queue, batchMs: batch, inferMs: infer };
}

/** `queueMs`: from the ingress to the batch. `batchMs`: on to the run, fetch and decode in it. As `Server-Timing` says. */
export type ServedCall = { tookMs: number; queueMs: number; batchMs: number; inferMs: number };
