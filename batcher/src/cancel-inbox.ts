import { Cancel } from "@faceline/contracts/wire/cancel";
import type { CallId } from "@faceline/contracts/wire/ids";
import { cancelsChannel } from "@faceline/contracts/wire/names";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";

/** Receives the ids of requests whose client has disconnected. A lost cancel costs a run and nothing else. */
export async function openCancelInbox({
  config,
  pool,
  onCancel,
  log,
}: CancelInboxParts): Promise<AsyncDisposable> {
  return subscribe(config, [cancelsChannel(pool)], (message) => {
    const read = readMessage(Cancel, message);
    if (read.ok) onCancel(read.value.call);
    else log.warn({ reason: read.reason }, "a cancel could not be read");
  });
}

type CancelInboxParts = {
  config: VolatileRedisConfig;
  pool: string;
  onCancel(call: CallId): void;
  log: Log;
};
