import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Bare, type BareCall, openBare } from "../bench/bare.ts";
import { Caller, type ServedCall } from "../bench/caller.ts";
import { median, quantile, table } from "../bench/figures.ts";
import { readDevKey, storeKey } from "./dev-key.ts";
import { freePorts } from "./ports.ts";
import { Services } from "./services.ts";
import { readLaunch, threadsEach } from "./settings.ts";
import { repository } from "./state-folder.ts";
import { Steps } from "./steps.ts";
import { stopRequests } from "./stop.ts";
import { openTestServers } from "./test-servers.ts";

// `npm run bench -- [--quick]`: what the service adds to one lonely call, and how much of the bare engine's throughput
// it keeps. The service and the bare engine run in turn, on the same cores, in the same run: what is reported are
// differences and ratios of neighbours, because the machines are shared and noisy.

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const requests = stopRequests(say);
const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const rounds = options.quick ? 2 : 7;
const callsOfRound = options.quick ? 24 : 60;
const inFlight = 8;
const lanes = [
  { model: "Dlib", detector: "ssd" },
  { model: "Dlib", detector: "tiny" },
];
const pictures = [1, 2, 3, 4, 5, 6].map((index) =>
  join(repository, `node_modules/@vladmandic/face-api/demo/sample${index}.jpg`),
);

try {
  await benchmark();
} catch (fault) {
  process.exitCode = 1;
  if (!requests.stop.aborted) process.stderr.write(`\n${(fault as Error).stack}\n`);
}
process.exit();

async function benchmark(): Promise<void> {
  const steps = Steps.sinceCommand(say);
  const launch = readLaunch([], process.env);
  await using servers = await openTestServers({ launch, steps, say, ...requests });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.urls.REDIS_DURABLE_URL, key, "dev");
  const threads = launch.INTRA_OP_THREADS ?? threadsEach(1);
  await using services = new Services(
    {
      counts: { workers: 1, batchers: 1, ingress: 1 },
      urls: servers.urls,
      pool: launch.POOL,
      host: "127.0.0.1",
      ports: await freePorts(1),
      threads,
      environment: { ...servers.environment, LOG_LEVEL: "warn" },
    },
    servers.watch,
  );
  await steps.run("services", () => services.start());
  await steps.run("health", () => services.healthy(launch.HEALTHY_WITHIN_MS, requests.stop));

  const results: LaneResult[] = [];
  for (const { model, detector } of lanes) {
    const lane = `${model}/${detector}`;
    const bodies = pictures.map((file) => ({
      img: readFileSync(file).toString("base64"),
      model_name: model,
      detector_backend: detector,
    }));
    const service = new Caller(`${services.addresses[0]!}/represent`, key, bodies);
    await using bare = await openBare({
      lane,
      threads,
      pictures,
      modelsDir: servers.models,
    });
    const measured = await steps.run(`measure ${lane}`, () => measure(service, bare));
    results.push({ lane, ...measured });
  }

  const report = {
    at: new Date().toISOString(),
    machine: machine(threads),
    rounds,
    callsOfRound,
    inFlight,
    results,
  };
  const folder = join(resolve(repository, launch.FACELINE_STATE), "bench");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "lonely.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  say(
    `\n${JSON.stringify(report.machine)}\n\n${show(results)}\n\nevery value: ${join(folder, "lonely.json")}`,
  );
}

async function measure(service: Caller, bare: Bare): Promise<Omit<LaneResult, "lane">> {
  const result = {
    served: [] as number[],
    bare: [] as number[],
    servedLoop: [] as number[],
    bareLoop: [] as number[],
  };
  for (let index = 0; index < 2 * pictures.length; index++) {
    await service.call(index);
    await bare.call(index);
  }
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < callsOfRound; index++) {
      result.served.push(await service.call(index));
      result.bare.push(await bare.call(index));
    }
    result.servedLoop.push((await service.flood(callsOfRound, inFlight)) / callsOfRound);
    result.bareLoop.push((await bare.loop(callsOfRound)) / callsOfRound);
  }
  return result;
}

/** What is added at p50 is the median of the differences between neighbours: one call served, and the same one bare. */
function show(results: LaneResult[]): string {
  const ms = (value: number) => value.toFixed(1);
  const overall: string[][] = [];
  const stages: string[][] = [];
  for (const { lane, served, bare, servedLoop, bareLoop } of results) {
    const took = { served: served.map((each) => each.tookMs), bare: bare.map((each) => each.tookMs) };
    const between = (part: (served: ServedCall, bare: BareCall) => number) =>
      ms(median(served.map((each, index) => part(each, bare[index]!))));
    const kept = servedLoop.map((each, round) => bareLoop[round]! / each);
    overall.push([
      lane,
      `${ms(median(took.bare))} / ${ms(quantile(took.bare, 0.99))}`,
      `${ms(median(took.served))} / ${ms(quantile(took.served, 0.99))}`,
      between((each, neighbour) => each.tookMs - neighbour.tookMs),
      ms(quantile(took.served, 0.99) - quantile(took.bare, 0.99)),
      ms(1_000 / median(bareLoop)),
      ms(1_000 / median(servedLoop)),
      `${median(kept).toFixed(2)} (${Math.min(...kept).toFixed(2)} to ${Math.max(...kept).toFixed(2)})`,
    ]);
    stages.push([
      lane,
      between((each) => each.queueMs),
      between((each, { decodeMs }) => each.batchMs - decodeMs),
      between((each, { tookMs, decodeMs }) => each.inferMs - (tookMs - decodeMs)),
      between(({ tookMs, queueMs, batchMs, inferMs }) => tookMs - queueMs - batchMs - inferMs),
    ]);
  }
  const head = [
    "lane",
    "bare p50 / p99 ms",
    "served p50 / p99 ms",
    "added p50 ms",
    "added p99 ms",
    "bare pictures/s",
  ];
  return [
    table([...head, "served pictures/s", "served / bare"], overall),
    "where the added milliseconds go, medians:",
    table(
      [
        "lane",
        "to the batch",
        "to the run, decode apart",
        "the run, beside the bare one",
        "HTTP and the way back",
      ],
      stages,
    ),
  ].join("\n\n");
}

function machine(threads: number) {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    node: process.version,
    intraOpThreads: threads,
  };
}

type LaneResult = {
  lane: string;
  served: ServedCall[];
  bare: BareCall[];
  /** Milliseconds a picture, of each round. */
  servedLoop: number[];
  bareLoop: number[];
};
