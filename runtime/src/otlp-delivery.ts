import { ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";

/**
 * Bounds the spans that wait to be delivered, those in a request included, and counts what is lost. Writes
 * one warning when spans are lost, and one line when they are delivered again: OpenTelemetry itself would
 * write an error for each batch of spans, and nothing where its queue is full.
 */
export class SpanDelivery implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #options: SpanDeliveryOptions;
  #waiting = 0;
  #lost = 0;
  /** Since the warning. */
  #lostLately = 0;
  #lostAt = 0;

  constructor(exporter: SpanExporter, options: SpanDeliveryOptions) {
    this.#exporter = exporter;
    this.#options = options;
  }

  /** Spans that were not delivered, since the start of the process. */
  get lost(): number {
    return this.#lost;
  }

  /** Returns how many of `count` spans may wait, and counts the others as lost. */
  admit(count: number): number {
    const { waitingMax } = this.#options;
    const admitted = Math.min(count, waitingMax - this.#waiting);
    this.#waiting += admitted;
    if (admitted < count) this.#lose(count - admitted, `${waitingMax} spans wait already`);
    return admitted;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.#exporter.export(spans, (result) => {
      this.#waiting -= spans.length;
      if (result.code === ExportResultCode.FAILED) {
        this.#lose(spans.length, result.error?.message ?? "no reason");
      } else this.#delivered();
      done(result);
    });
  }

  #lose(count: number, reason: string): void {
    if (this.#lostLately === 0) {
      this.#options.log.warn({ reason: reason.slice(0, reasonCharactersMax) }, "spans are not delivered");
    }
    this.#lost += count;
    this.#lostLately += count;
    this.#lostAt = this.#options.now();
  }

  #delivered(): void {
    // A receiver that is too slow takes some and loses others, many times a second.
    if (this.#lostLately === 0 || this.#options.now() - this.#lostAt < withoutLossMs) return;
    this.#options.log.info({ lostSpans: this.#lostLately }, "spans are delivered again");
    this.#lostLately = 0;
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

/** The time without a loss after which spans count as delivered again. */
const withoutLossMs = 2_000;
const reasonCharactersMax = 200;

type SpanDeliveryOptions = { waitingMax: number; log: Pick<Log, "warn" | "info">; now: () => number };
