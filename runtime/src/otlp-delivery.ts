import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { Log } from "./log.ts";

/**
 * Bounds the spans or log lines that wait to be delivered, including those in a request, and counts what is
 * lost. Writes one warning when some are lost, and one line when they are delivered again: OpenTelemetry
 * itself would write an error for each batch, and nothing if its queue is full.
 */
export class OtlpDelivery<Item> implements Exporter<Item> {
  readonly #exporter: Exporter<Item>;
  readonly #options: OtlpDeliveryOptions;
  readonly #now: () => number;
  #waiting = 0;
  #lost = 0;
  /** Since the warning. */
  #lostLately = 0;
  #lostAt = 0;

  constructor(exporter: Exporter<Item>, options: OtlpDeliveryOptions) {
    this.#exporter = exporter;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Items that were not delivered, since the start of the process. */
  get lost(): number {
    return this.#lost;
  }

  /** Returns whether one more item may wait, and counts it as lost if not. */
  admit(): boolean {
    const { items, waitingMax } = this.#options;
    const isAdmitted = this.#waiting < waitingMax;
    if (isAdmitted) this.#waiting++;
    else this.#lose(1, `${waitingMax} ${items} wait already`);
    return isAdmitted;
  }

  export(items: Item[], done: (result: ExportResult) => void): void {
    let isOver = false;
    const end = (result: ExportResult) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#waiting -= items.length;
      if (result.code === ExportResultCode.FAILED) {
        this.#lose(items.length, result.error?.message ?? "no reason");
      } else this.#delivered();
      done(result);
    };
    const error = new Error(`no response within ${responseMs / 1000} s`);
    const timer = setTimeout(() => end({ code: ExportResultCode.FAILED, error }), responseMs).unref();
    this.#exporter.export(items, end);
  }

  #lose(count: number, reason: string): void {
    this.#options.onLost?.(count);
    const isFirst = this.#lostLately === 0;
    this.#lost += count;
    // Before the warning, which may itself be lost.
    this.#lostLately += count;
    this.#lostAt = this.#now();
    const { items, log } = this.#options;
    if (isFirst) log.warn({ reason: reason.slice(0, reasonCharactersMax) }, `${items} are not delivered`);
  }

  #delivered(): void {
    const { items, log } = this.#options;
    // A receiver that is too slow takes some and loses others, many times a second.
    if (this.#lostLately === 0 || this.#now() - this.#lostAt < withoutLossMs) return;
    const lost = this.#lostLately;
    this.#lostLately = 0;
    log.info({ lost }, `${items} are delivered again`);
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

/** Resolves when `shutdown` has ended, or after 2 s: a receiver that hangs must not keep the process. */
export async function endInTime(shutdown: () => Promise<void>): Promise<void> {
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, shutdownMs);
  await Promise.race([shutdown().catch(() => {}), timeUp.promise]);
  clearTimeout(timer);
}

/** The time for the last spans or lines at the end of a process. */
const shutdownMs = 2_000;
/** OpenTelemetry's exporter for Zipkin has no limit of its own, and waits as long as the receiver hangs. */
const responseMs = 30_000;
/** The time without a loss after which items count as delivered again. */
const withoutLossMs = 2_000;
const reasonCharactersMax = 200;

/** What the exporters of spans and of log records have in common. */
type Exporter<Item> = {
  export(items: Item[], done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
};

type OtlpDeliveryOptions = {
  items: "spans" | "log lines";
  waitingMax: number;
  log: Pick<Log, "warn" | "info">;
  onLost?(count: number): void;
  /** Default: the process' own clock. */
  now?: () => number;
};
