import type { Log } from "../log.ts";
import { areLogsSent, type LogsConfig } from "./config.ts";

/**
 * Sends every line of the log by OTLP too, until it is disposed of. Nothing of OpenTelemetry is loaded where
 * lines are not sent.
 */
export async function openLogDelivery(options: LogDeliveryOptions): Promise<AsyncDisposable> {
  if (!areLogsSent(options.config)) return { async [Symbol.asyncDispose]() {} };
  const { openLogsSdk } = await import("./sdk.ts");
  return openLogsSdk(options);
}

export type LogDeliveryOptions = {
  config: LogsConfig;
  /** `ingress`: its lines are of the service `faceline-ingress`. */
  service: string;
  /** Id of this process. */
  id: string;
  log: Log;
};
