import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openBare } from "../bench/bare.ts";
import { Caller } from "../bench/caller.ts";
import { compare, type Comparison, tables } from "../bench/comparison.ts";
import { photographs, shrunk } from "../bench/pictures.ts";
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
const plan = {
  rounds: options.quick ? 2 : 5,
  callsOfRound: options.quick ? 24 : 40,
  inFlight: 8,
  warmUps: 12,
};
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

  const cases = [
    { detector: "ssd", what: "photographs", pictures: photographs },
    { detector: "tiny", what: "photographs", pictures: photographs },
    { detector: "tiny", what: "thumbnails", pictures: await shrunk(servers.state.run) },
  ];
  const results: Comparison[] = [];
  for (const { detector, what, pictures } of cases) {
    const lane = `Dlib/${detector}`;
    const bodies = pictures.map((file) => ({
      img: readFileSync(file).toString("base64"),
      detector_backend: detector,
    }));
    const service = new Caller(`${services.addresses[0]!}/represent`, key, bodies);
    await using bare = await openBare({ lane, threads, pictures, modelsDir: servers.models });
    const name = `${lane}, ${what}`;
    const measured = await steps.run(name, () => compare(service, bare, plan));
    results.push({ lane: name, ...measured });
  }

  const report = { at: new Date().toISOString(), machine: machine(threads), plan, results };
  const folder = join(resolve(repository, launch.FACELINE_STATE), "bench");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "lonely.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  say(
    `\n${JSON.stringify(report.machine)}\n\n${tables(results)}\n\nevery value: ${join(folder, "lonely.json")}`,
  );
}

function machine(threads: number) {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    node: process.version,
    intraOpThreads: threads,
  };
}
