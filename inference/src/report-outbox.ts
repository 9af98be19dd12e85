import type { Clock } from "@faceline/contracts/runtime/clock";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { reportsChannel } from "@faceline/contracts/wire/names";
import type { Report } from "@faceline/contracts/wire/report";

/**
 * Says what this worker is doing: on every change and every so often. One that is lost is healed by the next. What
 * changes within a millisecond is said together: a lone batch's way to its run is not disturbed by two reports.
 */
export function openReportOutbox({
  redis,
  pool,
  worker,
  clock,
  everyMs,
  read,
}: ReportOutboxParts): ReportOutbox {
  let sequence = 0;
  let due: NodeJS.Timeout | undefined;
  const send = (): void => {
    due = undefined;
    const report: Report = { worker, sequence: sequence++, sentAt: clock.now(), ...read() };
    redis.publish(reportsChannel(pool), JSON.stringify(report)).catch(() => {});
  };
  const timer = setInterval(send, everyMs);
  return {
    send() {
      due ??= setTimeout(send, gapMs);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      clearTimeout(due);
    },
  };
}

const gapMs = 1;

type ReportOutboxParts = {
  redis: RedisConnection;
  pool: string;
  worker: string;
  clock: Clock;
  everyMs: number;
  read(): Omit<Report, "worker" | "sequence" | "sentAt">;
};

export type ReportOutbox = AsyncDisposable & { send(): void };
