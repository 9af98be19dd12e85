import { channel } from "node:diagnostics_channel";
import type { DedupedLog } from "./deduped-log.ts";

/** Every connection that this process closes reports to it, because none of them has a log of its own. */
const silences = channel("faceline.silence");

/** Reports that `connection` was silent for so long that it is being closed; `isStarved`: see Stopwatch. */
export function reportSilence(connection: string, isStarved: boolean): void {
  silences.publish({ reason: connection, isStarved });
}

/** Logs each connection that is closed because its server was silent, until it is disposed of. */
export function logSilence(log: Pick<DedupedLog, "info">): Disposable {
  const write = (fields: unknown) =>
    log.info(
      fields as { reason: string; isStarved: boolean },
      "a connection was silent and is closed; it is reopened",
    );
  silences.subscribe(write);
  return { [Symbol.dispose]: () => silences.unsubscribe(write) };
}
