import { parseArgs } from "node:util";
import { readConfig } from "@faceline/contracts/runtime/config";
import * as z from "zod";
import { workersFor } from "./worker-count.ts";

/** A pool's batches topic has this many partitions, and a worker needs one of its own. */
export const poolWorkersMax = 16;

const Port = z.coerce.number().int().min(1).max(65_535);
const Length = z.coerce.number().int().min(1);

/**
 * The launcher's own settings. Whatever else the environment holds is passed to the services, which read theirs.
 */
export const LauncherConfig = z.object({
  /** Where everything lies that `npm start` fetches, makes and writes. Relative to the repository. */
  FACELINE_STATE: z.string().default(".faceline"),

  /** Servers that already run; each one given is used, and none of its kind is started. */
  KAFKA_BROKERS: z.string().optional(),
  REDIS_VOLATILE_URL: z.string().optional(),
  REDIS_DURABLE_URL: z.string().optional(),

  KAFKA_PORT: Port.default(9092),
  KAFKA_CONTROLLER_PORT: Port.default(9093),
  KAFKA_HEAP_MIB: z.coerce.number().int().min(128).default(512),
  REDIS_VOLATILE_PORT: Port.default(6379),
  REDIS_DURABLE_PORT: Port.default(6380),
  /** The volatile Redis refuses writes above this: images and answers in flight, no more. */
  REDIS_VOLATILE_MEMORY_MAX_MIB: z.coerce.number().int().min(16).default(1024),

  /** Where the first ingress listens; a second one takes the next port. */
  HOST: z.string().default("127.0.0.1"),
  PORT: Port.default(8080),
  POOL: z.string().default("default"),
  MODELS_DIR: z.string().optional(),
  INTRA_OP_THREADS: z.coerce.number().int().min(1).optional(),
  LOG_LEVEL: z.string().default("info"),

  /** Kafka keeps tasks and batches this long: more than the longest deadline (2 minutes) and its grace. */
  TOPIC_RETENTION_MINUTES: z.coerce.number().int().min(3).default(10),
  /** What could not be read or processed is kept for whoever looks into it: ids and reasons, no content. */
  DEAD_LETTER_RETENTION_MINUTES: z.coerce.number().int().min(3).default(1440),

  /** How long a process may take from its start until it says that it is ready. */
  READY_WITHIN_MS: Length.default(60_000),
  /** How long the whole may take from then until GET /health says `ok`. */
  HEALTHY_WITHIN_MS: Length.default(30_000),
  /** How long a process may take to stop before it is killed: longer than an ingress drains (DRAIN_WITHIN_MS, 35 s). */
  STOP_WITHIN_MS: Length.default(40_000),

  /** A process that dies is started again after this, twice that the next time, and so on, up to the maximum. */
  RESTART_FIRST_MS: Length.default(250),
  RESTART_MAX_MS: Length.default(10_000),
  /** A process that ran this long has been well: its next restart is a first one. */
  RESTART_FORGET_MS: Length.default(30_000),
});

export type LauncherConfig = z.infer<typeof LauncherConfig>;

/** Where API keys are: the server that is given, or the one that `npm start` starts. */
export const durableUrlOf = (config: LauncherConfig): string =>
  config.REDIS_DURABLE_URL ?? `redis://127.0.0.1:${config.REDIS_DURABLE_PORT}`;

/** How many of each service run. */
export type Counts = { workers: number; batchers: number; ingress: number };

/** `engine`: what the workers run instead of what ENGINE says. */
export type Launch = LauncherConfig & Counts & { devKey: boolean; engine: string | undefined };

/** The command line and the environment of `npm start`. Throws one sentence, or every wrong setting at once. */
export function readLaunch(args: string[], env: NodeJS.ProcessEnv): Launch {
  const config = readConfig(LauncherConfig, env);
  const { values } = parseArgs({
    args,
    options: {
      workers: { type: "string", default: "auto" },
      batchers: { type: "string", default: "1" },
      ingress: { type: "string", default: "1" },
      engine: { type: "string" },
      "dev-key": { type: "boolean", default: false },
    },
  });
  return {
    ...config,
    workers: workersOf(values.workers, config, values.engine ?? env["ENGINE"], env["EXECUTION_PROVIDER"]),
    batchers: count("--batchers", values.batchers, batchersMax),
    ingress: count("--ingress", values.ingress, ingressMax),
    engine: values.engine,
    devKey: values["dev-key"] || config.REDIS_DURABLE_URL === undefined,
  };
}

function workersOf(
  asked: string,
  { INTRA_OP_THREADS: threads }: LauncherConfig,
  engine = "onnx",
  executionProvider = "cpu",
): number {
  if (asked !== "auto") return count("--workers", asked, poolWorkersMax);
  const onCpu = executionProvider === "cpu" && engine === "onnx";
  return workersFor({ onCpu, threads, workersMax: poolWorkersMax });
}

const batchersMax = 4;
const ingressMax = 16;

function count(option: string, value: string, max: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} must be a whole number from 1 to ${max}.`);
}

/** The launcher's limits on each process, as its supervisor takes them. */
export const limitsOf = (config: LauncherConfig) => ({
  readyWithinMs: config.READY_WITHIN_MS,
  stopWithinMs: config.STOP_WITHIN_MS,
  restart: {
    firstMs: config.RESTART_FIRST_MS,
    maxMs: config.RESTART_MAX_MS,
    forgetMs: config.RESTART_FORGET_MS,
  },
});
