import { channel } from "node:diagnostics_channel";
import type { DedupedLog } from "./deduped-log.ts";
import type { TimeSpent } from "./starvation.ts";

/** Every connection that this process closes reports to it, because none of them has a log of its own. */
const silences = channel("faceline.silence");

/** Reports that `connection` was silent so long that it is being closed. */
export function reportSilence(connection: string, spent: TimeSpent): void {
  silences.publish({ connection, ...spent } satisfies Silence);
}

/** Logs each connection that is closed because its server was silent, until it is disposed of. */
export function logSilence(log: Pick<DedupedLog, "warn">): Disposable {
  const write = (message: unknown) => {
    const { connection, elapsedMs, unableMs } = message as Silence;
    const fields = {
      reason: connection,
      silentMs: Math.round(elapsedMs),
      withoutCoreMs: Math.round(unableMs),
    };
    log.warn(fields, "a connection was silent and is closed; it is reopened");
  };
  silences.subscribe(write);
  return { [Symbol.dispose]: () => silences.unsubscribe(write) };
}

type Silence = TimeSpent & { connection: string };
