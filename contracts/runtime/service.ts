import type * as z from "zod";
import { readConfig } from "./config.ts";
import { type Log, openLog } from "./log.ts";
import { newProcessId, stopSignal } from "./process.ts";

/**
 * Runs a service from its settings to its end: reads its environment, opens its log, and calls `run`, which
 * opens what the service needs and returns after a drain. An error on the way is one sentence on stderr and
 * exit code 1; its stack is shown at LOG_LEVEL=debug only. Wrong settings are all named at once.
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
  } catch (error) {
    const { message, stack } = error as Error;
    process.stderr.write(`${process.env["LOG_LEVEL"] === "debug" ? stack : message}\n`);
    process.exit(1);
  }
}

/** What every service has from its start. */
type Service<Config> = {
  config: Config;
  /** Of this process, new at every start: `ingress-1f…`. */
  id: string;
  log: Log;
  /** Aborts when the process is asked to stop. */
  stop: AbortSignal;
};
