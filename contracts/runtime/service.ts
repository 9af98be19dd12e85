import type * as z from "zod";
import { readConfig } from "./config.ts";
import { type Log, openLog } from "./log.ts";
import { newProcessId, stopSignal } from "./process.ts";

/**
 * Runs a service: reads its settings, opens its log and calls `run`, which opens connections and returns
 * after the service was drained; then the process ends. Writes an error to stderr as one sentence (with its
 * stack at LOG_LEVEL=debug) and exits with code 1. An error about settings lists all invalid ones.
 */
export async function runService<Schema extends z.ZodType<{ LOG_LEVEL: string }>>(
  name: string,
  schema: Schema,
  run: (service: Service<z.infer<Schema>>) => Promise<void>,
): Promise<void> {
  const stop = stopSignal();
  try {
    const config = readConfig(schema, process.env);
    const id = newProcessId(name);
    await run({ config, id, log: openLog(name, config.LOG_LEVEL).child({ [`${name}Id`]: id }), stop });
    // Everything is closed. A delivery of spans or metrics that is tried again would keep the process for up
    // to OTEL_EXPORTER_OTLP_TIMEOUT.
    process.exit();
  } catch (error) {
    const { message, stack } = error as Error;
    process.stderr.write(`${process.env["LOG_LEVEL"] === "debug" ? stack : message}\n`);
    process.exit(1);
  }
}

/** What `run` receives. */
type Service<Config> = {
  config: Config;
  /** Id of this process, new at every start: `ingress-1f…`. */
  id: string;
  log: Log;
  /** Aborts when the process should stop. */
  stop: AbortSignal;
};
