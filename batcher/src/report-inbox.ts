import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, type VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";

/** Reports of the pool's workers. One that does not parse is left out: the next one is due in 250 ms. */
export async function openReportInbox(
  config: VolatileRedisConfig,
  pool: string,
  hear: (report: Report) => void,
  log: Log,
): Promise<AsyncDisposable> {
  return subscribe(config, [reportsChannel(pool)], (message) => {
    const read = readMessage(Report, message);
    if (read.ok) hear(read.value);
    else log.warn({ reason: read.reason }, "a report could not be read");
  });
}
