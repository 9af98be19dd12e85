import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Log } from "./log.ts";

/** Returns a new id for this process: `ingress-` and 64 random bits in hexadecimal, for example. */
export const newProcessId = (service: string): string => `${service}-${randomBytes(8).toString("hex")}`;

/**
 * Returns a signal that aborts when the process should stop: on SIGTERM, on SIGINT, or when the launcher that
 * started the process has exited. Further signals have no effect; SIGKILL ends the process at once.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    // A listener would keep the IPC channel open, and with it the process.
    process.off("disconnect", stop);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (process.connected) process.once("disconnect", stop);
  return controller.signal;
}

/** Resolves when `signal` aborts, or at once if it already has. */
export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Tells the launcher, if there is one, that this process is ready to serve. */
export function notifyReady(): void {
  process.send?.({ kind: "ready" });
}

/**
 * Returns a handler for errors that only a restart can fix: it logs the error and kills the process, and the
 * launcher or the orchestrator starts a new one.
 */
export const exitFatally =
  (log: Log) =>
  (error: Error): never => {
    log.fatal({ reason: error.message }, "cannot continue");
    // Not process.exit, which would wait for a thread that hangs in native code.
    process.kill(process.pid, "SIGKILL");
    // Still running: Linux ignores signals that process 1 of a container sends to itself. It does not ignore
    // the fault at the end of abort().
    process.abort();
  };
