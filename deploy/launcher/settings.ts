import { parseOptions } from "@faceline/models/parse-options";
import { decodingBytesMax } from "@faceline/images/decoding-bytes";
import { readConfig } from "@faceline/runtime/config";
import { BrokerList } from "@faceline/runtime/kafka";
import { TopicsConfig } from "@faceline/runtime/pool-topics";
import { RedisUrl } from "@faceline/runtime/redis";
import { poolWorkersMax } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { defaultWorkers } from "./worker-count.ts";

const Port = z.coerce.number().int().min(1).max(65_535);
const Milliseconds = z.coerce.number().int().min(1);

/** How long a task may be needed after its deadline: as long as its answer stays in Redis. */
const retentionGraceMs = 10_000;

/**
 * The launcher's own settings. The rest of the environment is passed to the services, which read their own.
 */
const Settings = z.object({
  ...TopicsConfig.shape,

  /** Folder of everything that `npm start` fetches, builds and writes. Relative to the repository. */
  FACELINE_STATE: z.string().default(".faceline"),

  /** Addresses of servers that already run. A server with an address here is not started. */
  KAFKA_BROKERS: BrokerList.optional(),
  REDIS_VOLATILE_URL: RedisUrl.optional(),
  REDIS_DURABLE_URL: RedisUrl.optional(),

  KAFKA_PORT: Port.default(9092),
  REDIS_VOLATILE_PORT: Port.default(6379),
  REDIS_DURABLE_PORT: Port.default(6380),
  /** The volatile Redis refuses writes above this. It holds images and answers in flight. */
  REDIS_VOLATILE_MEMORY_MAX_MIB: z.coerce.number().int().min(16).default(1024),

  /** Address of the first ingress; a second ingress takes the next port. */
  HOST: z.string().default("127.0.0.1"),
  PORT: Port.default(8080),
  /** Address and first port of the operators' ports of the services: see operators-ports.ts. */
  OPERATORS_HOST: z.string().default("127.0.0.1"),
  OPERATORS_PORT: z.coerce.number().int().min(1).max(65_500).optional(),

  /** Ports of `--observe`. */
  ZIPKIN_PORT: Port.default(9411),
  PROMETHEUS_PORT: Port.default(9090),

  POOL: z.string().default("default"),
  /** Key that `npm run set-up` stores, in a file. */
  FIRST_KEY_FILE: z.string().optional(),
  MODELS_DIR: z.string().optional(),
  INTRA_OP_THREADS: z.coerce.number().int().min(1).optional(),
  LOG_LEVEL: z.string().default("info"),
  /** Images that a worker may decode at a time. The launcher only computes with it how many workers fit. */
  DECODES_MAX: z.coerce.number().int().min(1).default(2),

  /** The longest deadline that the ingress allows. The launcher only compares it with the retention. */
  DEADLINE_MAX_MS: Milliseconds.default(120_000),
  /** How long a process may take from its start until it is ready. */
  READY_WITHIN_MS: Milliseconds.default(60_000),
  /** How long an ingress may drain. The launcher kills it some time later. */
  DRAIN_WITHIN_MS: z.coerce.number().int().min(0).default(35_000),
});

export const LauncherConfig = Settings.refine(
  ({ TOPIC_RETENTION_MINUTES, DEADLINE_MAX_MS }) =>
    TOPIC_RETENTION_MINUTES * 60_000 > DEADLINE_MAX_MS + retentionGraceMs,
  {
    path: ["TOPIC_RETENTION_MINUTES"],
    error: "must exceed DEADLINE_MAX_MS by 10 s, or Kafka deletes tasks before they end",
  },
).refine(
  ({ TOPIC_REPLICATION_FACTOR = 1, TOPIC_MIN_INSYNC_REPLICAS = 1 }) =>
    TOPIC_MIN_INSYNC_REPLICAS <= TOPIC_REPLICATION_FACTOR,
  {
    path: ["TOPIC_MIN_INSYNC_REPLICAS"],
    error: "must not exceed TOPIC_REPLICATION_FACTOR, or no message could be sent",
  },
);
export type LauncherConfig = z.infer<typeof LauncherConfig>;

/** How many processes of each service run. */
export type Counts = { workers: number; batchers: number; ingress: number };

/** `engine` overrides ENGINE. */
export type LaunchOptions = LauncherConfig &
  Counts & { devKey: boolean; engine: string | undefined; observe: boolean };

/**
 * Parses command line and environment of `npm start`. Throws one sentence, or a list of all wrong settings.
 */
export function readLaunchOptions(args: string[], env: NodeJS.ProcessEnv): LaunchOptions {
  const config = readConfig(LauncherConfig, env);
  const { values } = parseOptions(
    {
      args,
      options: {
        workers: { type: "string", default: "auto" },
        batchers: { type: "string", default: "1" },
        ingress: { type: "string", default: "1" },
        engine: { type: "string" },
        "dev-key": { type: "boolean", default: false },
        observe: { type: "boolean", default: false },
      },
    },
    env,
  );
  if (values.observe) refuseOtherReceivers(env);
  const counts = {
    workers: parseWorkers(values.workers, config, values.engine ?? env["ENGINE"], env["EXECUTION_PROVIDER"]),
    batchers: parseCount("--batchers", values.batchers, batchersMax),
    ingress: parseCount("--ingress", values.ingress, ingressMax),
  };
  return {
    ...config,
    ...counts,
    engine: values.engine,
    devKey: values["dev-key"] || config.REDIS_DURABLE_URL === undefined,
    observe: values.observe,
    // Prometheus asks there.
    OPERATORS_PORT: config.OPERATORS_PORT ?? (values.observe ? operatorsPortObserved : undefined),
  };
}

/** The first operators' port of `--observe`, where OPERATORS_PORT sets none. */
const operatorsPortObserved = 9464;

/** Throws if the environment sends or turns off the spans that `--observe` is to show. */
function refuseOtherReceivers(env: NodeJS.ProcessEnv): void {
  const other = [
    ...["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].filter((name) => env[name]),
    ...(env["OTEL_SDK_DISABLED"] === "true" ? ["OTEL_SDK_DISABLED"] : []),
    ...(env["OTEL_TRACES_EXPORTER"] === "none" ? ["OTEL_TRACES_EXPORTER"] : []),
  ];
  if (other.length === 0) return;
  throw new Error(
    `--observe shows the traces itself: unset ${other.join(", ")}, or start without --observe.`,
  );
}

function parseWorkers(
  option: string,
  { INTRA_OP_THREADS: threads, DECODES_MAX }: LauncherConfig,
  engine = "onnx",
  executionProvider = "cpu",
): number {
  if (option !== "auto") return parseCount("--workers", option, poolWorkersMax);
  const onCpu = executionProvider === "cpu" && engine === "onnx";
  const decodingBytes = DECODES_MAX * decodingBytesMax;
  return defaultWorkers({ onCpu, threads, workersMax: poolWorkersMax, decodingBytes });
}

export const startUsage = `usage: npm start -- [OPTIONS]

  --workers N|auto     inference workers; auto: one per core, fewer on larger machines (default auto)
  --batchers N         batchers; the second is a hot standby (default 1)
  --ingress N          ingresses, on PORT, PORT + 1, … (default 1)
  --engine ENGINE      overrides ENGINE: onnx, or model:40+2b for measurements without models
  --dev-key            create a development key even if REDIS_DURABLE_URL is set
  --observe            traces in Zipkin and metrics in Prometheus, whose addresses are printed
  --help               print this help

Settings are environment variables, listed in docs/operating.`;

export const batchersMax = 4;
export const ingressMax = 16;

function parseCount(option: string, value: string, max: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} must be a whole number from 1 to ${max}.`);
}

/** Returns the limits of a Supervisor. */
export const supervisorLimits = (config: LauncherConfig) => ({
  readyWithinMs: config.READY_WITHIN_MS,
  // A process that drains ends by itself within these 5 s: no other one takes longer than an ingress.
  stopWithinMs: config.DRAIN_WITHIN_MS + 5_000,
  // Soon after a single crash; and a process that cannot live costs a start every 10 s.
  restart: { firstMs: 250, maxMs: 10_000, forgetMs: 30_000 },
});
