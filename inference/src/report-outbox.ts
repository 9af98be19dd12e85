import { reportsChannel } from "@faceline/contracts/names";
import type { Report } from "@faceline/contracts/report";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";

/**
 * Says what this worker is doing: on every change and every so often. One that is lost is healed by the next. What
 * changes together, or within the millisecond after a report, is said together.
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
  let sentAt = 0;
  let due = false;
  let closed = false;
  const send = (): void => {
    due = false;
    if (closed) return;
    sentAt = performance.now();
    const report: Report = { worker, sequence: sequence++, sentAt: clock.now(), ...read() };
    redis.publish(reportsChannel(pool), JSON.stringify(report)).catch(() => {});
  };
  const timer = setInterval(send, everyMs);
  return {
    send() {
      if (due) return;
      due = true;
      if (performance.now() < sentAt + gapMs) setTimeout(send, gapMs);
      else setImmediate(send);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      clearInterval(timer);
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
