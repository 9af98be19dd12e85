import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { readConfig } from "./config.ts";
import { ServerUnreachable } from "./connect-fault.ts";
import { logSilence } from "./connection-silence.ts";
import { logOutages } from "./server-outages.ts";
import { type Log, openLog } from "./log.ts";
import { logNodeWarnings } from "./node-warnings.ts";
import { isSent, OtlpConfig } from "./otlp-config.ts";
import { newProcessId, stopSignal } from "./process-lifecycle.ts";
import { revision } from "./resource.ts";
import { Stopwatch } from "./starvation.ts";

/** Settings of every service. */
export const ServiceConfig = z.object({
  ...OtlpConfig.shape,
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
});
type ServiceConfig = z.infer<typeof ServiceConfig>;

/**
 * Runs a service: reads its settings, opens its log and calls `run`, which opens connections and returns
 * after the service was drained; then the process ends. If `run` throws ServerUnreachable, it is called again
 * until `connectWithinMs` have passed: servers may start at the same time, and one try may fail by chance.
 * Writes an error to stderr as one sentence (with its stack at LOG_LEVEL=debug) and exits with code 1. An
 * error about settings lists all invalid ones.
 */
export async function runService<Schema extends z.ZodType<ServiceConfig>>(
  name: string,
  schema: Schema,
  run: (service: Service<z.infer<Schema>>) => Promise<void>,
  { connectWithinMs = 30_000 } = {},
): Promise<void> {
  const stop = stopSignal();
  try {
    const config = readConfig(schema, process.env);
    const id = newProcessId(name);
    {
      const log = openLog(name, config.LOG_LEVEL, { [`${name}Id`]: id });
      logNodeWarnings(log);
      const logs = isSent("LOGS", config) ? await import("./logs/sdk.ts") : undefined;
      await using _delivery = await logs?.openLogDelivery({ config, service: name, id, log });
      // It ends before the delivery, which sends the lines written until then.
      using _repetitions = log;
      log.info({ revision }, "starting");
      using _silences = logSilence(log);
      using _outages = logOutages(log);
      await withRetries({ withinMs: connectWithinMs, log, stop }, () => run({ config, id, log, stop }));
    }
    // Everything is closed. A delivery of spans or metrics that is retried would keep the process for up to
    // OTEL_EXPORTER_OTLP_TIMEOUT.
    process.exit();
  } catch (error) {
    const { message, stack } = error as Error;
    process.stderr.write(`${process.env["LOG_LEVEL"] === "debug" ? stack : message}\n`);
    process.exit(1);
  }
}

async function withRetries({ withinMs, log, stop }: Retries, run: () => Promise<void>): Promise<void> {
  // Not wall-clock time: if many processes start at once, each of them gets little of it.
  const trying = new Stopwatch();
  let isLogged = false;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const isLast = stop.aborted || trying.ranMs + retryAfterMs > withinMs;
      if (isLast || !(error instanceof ServerUnreachable)) throw error;
      if (!isLogged) log.warn({ reason: error.message, withinMs }, "cannot start yet; retrying");
      isLogged = true;
      await sleep(retryAfterMs, undefined, { signal: stop }).catch(() => {
        throw error;
      });
    }
  }
}

const retryAfterMs = 500;

type Retries = { withinMs: number; log: Log; stop: AbortSignal };

type Service<Config> = {
  config: Config;
  /** Id of this process, new at every start: `ingress-1f…`. */
  id: string;
  log: Log;
  /** Aborts when the process should stop. */
  stop: AbortSignal;
};
