import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Log } from "./log.ts";

/** An id of this process, new at every start. */
export const newProcessId = (service: string): string => `${service}-${randomBytes(8).toString("hex")}`;

/**
 * Aborts when the process is asked to stop: SIGTERM, SIGINT, or the launcher that started it is gone. Later
 * signals change nothing: whoever is in a hurry sends SIGKILL.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    // Whoever listens for it keeps the channel open, and the process with it.
    process.off("disconnect", stop);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (process.connected) process.once("disconnect", stop);
  return controller.signal;
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Tells the launcher, where there is one, that this process is in service. */
export function notifyReady(): void {
  process.send?.({ kind: "ready" });
}

/** For what cannot be mended in this process: says so and leaves, and the launcher starts a new one. */
export const exitFatally =
  (log: Log) =>
  (error: Error): never => {
    log.fatal({ reason: error.message }, "cannot go on");
    // Not process.exit: it would wait for a thread that hangs in native code.
    process.kill(process.pid, "SIGKILL");
    throw error;
  };
