import { setTimeout as sleep } from "node:timers/promises";
import type { ZipkinSpan } from "./zipkin-spans.ts";

/**
 * Spans on their way to Zipkin, each as JSON. They are taken while Zipkin starts or is away, as many as fit
 * by count and by bytes, and sent in their order, one request at a time.
 */
export class SpanQueue implements AsyncDisposable {
  readonly #options: SpanQueueOptions;
  readonly #ending = new AbortController();
  #waiting: string[] = [];
  #waitingBytes = 0;
  #sending: Promise<void> | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  /** Returns false where not all of them fit; then none is taken. */
  add(spans: ZipkinSpan[]): boolean {
    const { waitingMax, waitingBytesMax } = this.#options;
    if (this.#waiting.length + spans.length > waitingMax) return false;
    const texts = spans.map((span) => JSON.stringify(span));
    const bytes = bytesOf(texts);
    if (this.#waitingBytes + bytes > waitingBytesMax) return false;
    for (const text of texts) this.#waiting.push(text);
    this.#waitingBytes += bytes;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return true;
  }

  async #sendAll(): Promise<void> {
    const { send, retryAfterMs } = this.#options;
    while (this.#waiting.length > 0) {
      const isLastTry = this.#ending.signal.aborted;
      const spans = this.#nextRequest();
      if (await send(spans)) {
        this.#waiting = this.#waiting.slice(spans.length);
        this.#waitingBytes -= bytesOf(spans);
      } else if (isLastTry) return;
      else await sleep(retryAfterMs, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }

  /** Returns the first spans that wait, as many as a request may hold; at least one. */
  #nextRequest(): string[] {
    const { requestSpansMax, requestBytesMax } = this.#options;
    const spans: string[] = [];
    let bytes = 0;
    for (const span of this.#waiting) {
      bytes += Buffer.byteLength(span);
      if (spans.length === requestSpansMax || (spans.length > 0 && bytes > requestBytesMax)) break;
      spans.push(span);
    }
    return spans;
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
        body: `[${spans.join(",")}]`,
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

const bytesOf = (texts: string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const temporaryStatuses = [408, 429, 503];
const requestMs = 5_000;

type SpanQueueOptions = {
  /**
   * Sends spans, each as JSON. Returns whether they are done with; else they are sent again. Must not throw.
   */
  send(spans: string[]): Promise<boolean>;
  /** Spans that wait. */
  waitingMax: number;
  /** Bytes of JSON that wait. A request of the services has up to 4 MiB. */
  waitingBytesMax: number;
  /** Spans of one request. */
  requestSpansMax: number;
  /** Bytes of one request, unless a single span is larger. */
  requestBytesMax: number;
  /** Wait after a failure. */
  retryAfterMs: number;
};
