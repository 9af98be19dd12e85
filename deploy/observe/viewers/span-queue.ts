import { setTimeout as sleep } from "node:timers/promises";
import type { ZipkinSpan } from "./zipkin-spans.ts";

/**
 * Spans on their way to Zipkin. They are taken while Zipkin starts or is away, as many as fit, and sent in
 * their order, one request at a time.
 */
export class SpanQueue implements AsyncDisposable {
  readonly #options: SpanQueueOptions;
  readonly #ending = new AbortController();
  #waiting: ZipkinSpan[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  /** Returns false where not all of them fit; then none is taken. */
  add(spans: ZipkinSpan[]): boolean {
    if (this.#waiting.length + spans.length > this.#options.waitingMax) return false;
    this.#waiting.push(...spans);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return true;
  }

  async #sendAll(): Promise<void> {
    const { send, requestSpansMax, retryAfterMs } = this.#options;
    while (this.#waiting.length > 0) {
      const isLastTry = this.#ending.signal.aborted;
      const spans = this.#waiting.slice(0, requestSpansMax);
      if (await send(spans)) this.#waiting = this.#waiting.slice(spans.length);
      else if (isLastTry) return;
      else await sleep(retryAfterMs, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }

  /** Sends what waits, as long as Zipkin takes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#sending;
  }
}

/** Returns how spans are sent to a Zipkin at `origin`; they are waited for by SpanQueue. */
export const sendToZipkin =
  (origin: string, report: (sentence: string) => void): SpanQueueOptions["send"] =>
  async (spans) => {
    try {
      const reply = await fetch(`${origin}/api/v2/spans`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(spans),
        signal: AbortSignal.timeout(requestMs),
      });
      await reply.body?.cancel();
      // Zipkin would refuse them again, and meanwhile those behind them would wait.
      const areRefused = !reply.ok && !temporaryStatuses.includes(reply.status);
      if (areRefused) report(`Zipkin refused ${spans.length} spans with ${reply.status}; they are dropped`);
      return reply.ok || areRefused;
    } catch {
      return false;
    }
  };

const temporaryStatuses = [408, 429, 503];
const requestMs = 5_000;

type SpanQueueOptions = {
  /** Returns whether the spans are done with; else they are sent again. Must not throw. */
  send(spans: ZipkinSpan[]): Promise<boolean>;
  /** Spans that wait. */
  waitingMax: number;
  /** Spans of one request. */
  requestSpansMax: number;
  /** Wait after a failure. */
  retryAfterMs: number;
};
