import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { VolatileConnection, VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";

/** Time after a reconnect, or the recovery of a server, by which every worker has reported. */
const settledAfterMs = 2_000;

/**
 * Receives the reports of the pool's workers. One that cannot be read is skipped: the next is due in 250 ms.
 */
export async function openReportInbox({
  config,
  pool,
  redis,
  onReport,
  log,
}: ReportInboxParts): Promise<ReportInbox> {
  let settlesAt = Number.NEGATIVE_INFINITY;
  const subscription = await subscribe(
    config,
    [reportsChannel(pool)],
    (message) => {
      const read = readMessage(Report, message);
      if (read.ok) onReport(read.value);
      else log.warn({ reason: read.reason }, "a report could not be read");
    },
    () => {
      settlesAt = performance.now() + settledAfterMs;
    },
  );
  return {
    hasReports: () =>
      subscription.connected() && performance.now() >= Math.max(settlesAt, redis.returnedAt + settledAfterMs),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type ReportInbox = AsyncDisposable & {
  /** False while reports cannot come, and shortly after: then a silent worker may be alive. */
  hasReports(): boolean;
};

type ReportInboxParts = {
  config: VolatileRedisConfig;
  pool: string;
  /** Workers notice at about the same time that it may not be used, and cannot report then. */
  redis: Pick<VolatileConnection, "returnedAt">;
  onReport(report: Report): void;
  log: Log;
};
