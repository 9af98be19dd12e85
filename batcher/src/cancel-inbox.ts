import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, type VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { Cancel } from "@faceline/contracts/wire/cancel";
import type { CallId } from "@faceline/contracts/wire/ids";
import { cancelsChannel } from "@faceline/contracts/wire/names";

/** Calls that nobody waits for any more. A cancel that is lost costs a run, nothing else. */
export async function openCancelInbox(
  config: VolatileRedisConfig,
  pool: string,
  cancel: (call: CallId) => void,
  log: Log,
): Promise<AsyncDisposable> {
  return subscribe(config, [cancelsChannel(pool)], (message) => {
    const read = readMessage(Cancel, message);
    if (read.ok) cancel(read.value.call);
    else log.warn({ reason: read.reason }, "a cancel could not be read");
  });
}
