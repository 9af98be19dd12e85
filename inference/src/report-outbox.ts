import { reportsChannel } from "@faceline/contracts/wire/names";
import type { Report } from "@faceline/contracts/wire/report";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Clock } from "@faceline/runtime/clock";
import type { RedisConnection } from "@faceline/runtime/redis";

/**
 * Publishes this worker's report when `send` is called and every 250 ms. The next report makes up for a lost
 * one. Changes within a millisecond share one report, so that two reports do not delay the start of a batch's
 * run. The end-to-end tests cover it.
 */
export function openReportOutbox({ redis, pool, worker, clock, read }: ReportOutboxParts): ReportOutbox {
  let sequence = 0;
  let pending: NodeJS.Timeout | undefined;
  const publish = async (): Promise<void> => {
    pending = undefined;
    const report: Report = { worker, sequence: sequence++, sentAt: clock.now(), ...read() };
    const published = redis.publish(reportsChannel(pool), JSON.stringify(report));
    bestEffort("report_publish", published);
    await Promise.allSettled([published]);
  };
  const timer = setInterval(() => void publish(), unchangedEveryMs);
  return {
    send() {
      pending ??= setTimeout(() => void publish(), coalesceMs);
    },
    publish,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      clearTimeout(pending);
    },
  };
}

const coalesceMs = 1;
/** A batcher considers a worker lost after a second of silence: three reports may be lost. */
const unchangedEveryMs = 250;

type ReportOutboxParts = {
  redis: RedisConnection;
  pool: string;
  worker: string;
  clock: Clock;
  read(): Omit<Report, "worker" | "sequence" | "sentAt">;
};

type ReportOutbox = AsyncDisposable & {
  /** Publishes a report soon. */
  send(): void;
  /** Publishes a report at once. Resolves when that is done or has failed. */
  publish(): Promise<void>;
};
