import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Part } from "../bench/bench.ts";
import { setUpFacePeers } from "../bench/face-peers.ts";
import { accuracy } from "../bench/parts/accuracy.ts";
import { ceiling } from "../bench/parts/ceiling.ts";
import { faces } from "../bench/parts/faces.ts";
import { flame } from "../bench/parts/flame.ts";
import { idle } from "../bench/parts/idle.ts";
import { ingress } from "../bench/parts/ingress.ts";
import { lonely } from "../bench/parts/lonely.ts";
import { lonelyModelled } from "../bench/parts/lonely-modelled.ts";
import { memory } from "../bench/parts/memory.ts";
import { openLoop } from "../bench/parts/open-loop.ts";
import { pipeline } from "../bench/parts/pipeline.ts";
import { peersVenv } from "../bench/peers.ts";
import { drawPlots } from "../bench/plots.ts";
import { keepResults } from "../bench/results.ts";
import { readDevKey, storeKey } from "../launcher/dev-key.ts";
import { readLaunchOptions } from "../launcher/settings.ts";
import { repository } from "../launcher/state-folder.ts";
import { Steps } from "../launcher/steps.ts";
import { stopRequests } from "../launcher/stop-requests.ts";
import { threadsPerWorker } from "../launcher/worker-count.ts";
import { openTestServers } from "../testing/test-servers.ts";
import { setUpVenv } from "../testing/venv.ts";

// `npm run bench`: what BENCHMARKS.md quotes, and where each figure comes from.
//
//   -- --setup          install the servers that Faceline is measured beside (Python), and stop there
//   -- --quick          everything in some six minutes, to see that it works; without it, some forty
//   -- --only PARTS     of lonely, lonely-modelled, ceiling, open-loop, ingress, idle, pipeline, memory, accuracy, faces, flame; with commas
//   -- --plots          draw deploy/bench/plots from the last full open-loop part, and stop there
//   -- --faces          the part that is left out above: real models, here and in other servers; 12 minutes
//   -- --faces --setup  install these other servers (Python and a C++ compiler), and stop there

const parts: Record<string, Part> = {
  lonely,
  "lonely-modelled": lonelyModelled,
  ceiling,
  "open-loop": openLoop,
  ingress,
  idle,
  pipeline,
  accuracy,
  memory,
};
/** By its own wish alone: what it needs takes long to install. */
const wishedParts: Record<string, Part> = { faces, flame };
const allParts = { ...parts, ...wishedParts };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const requests = stopRequests(say);
try {
  await benchmark();
} catch (fault) {
  process.exitCode = 1;
  if (!requests.stop.aborted) process.stderr.write(`\n${(fault as Error).message}\n`);
}
process.exit();

async function benchmark(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      setup: { type: "boolean", default: false },
      plots: { type: "boolean", default: false },
      faces: { type: "boolean", default: false },
      only: { type: "string" },
    },
  });
  const wanted = options.only?.split(",") ?? (options.faces ? ["faces"] : Object.keys(parts));
  const unknown = wanted.find((name) => !Object.hasOwn(allParts, name));
  if (unknown !== undefined) {
    throw new Error(`--only knows no ${unknown}: its parts are ${Object.keys(allParts).join(", ")}.`);
  }
  const { quick } = options;
  const steps = Steps.sinceCommandStart(say);
  const launch = readLaunchOptions([], process.env);
  const folder = join(resolve(repository, launch.FACELINE_STATE), "bench");
  if (options.setup) {
    const { stop } = requests;
    return wanted.includes("faces")
      ? setUpFacePeers(folder, steps, stop)
      : setUpVenv(peersVenv(folder), steps, stop);
  }
  if (options.plots) {
    const drawn = drawPlots(join(folder, "open-loop.json"), join(repository, "deploy/bench/plots"));
    return say(drawn.join("\n"));
  }

  await using servers = await openTestServers({ launch, steps, print: say, ...requests });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.urls.REDIS_DURABLE_URL, key, "dev");
  const threads = launch.INTRA_OP_THREADS ?? threadsPerWorker(1);
  const bench = { servers, launch, key, threads, quick, folder, steps, say, stop: requests.stop };
  for (const name of wanted) {
    say(`\n${name}`);
    const measured = await allParts[name]!(bench);
    const file = await keepResults(bench, name, measured);
    say(`\n${measured.tables}\n\nevery value: ${file}`);
    if (measured.broken !== undefined && measured.broken.length > 0) process.exitCode = 1;
  }
  say(`\nall of it: ${(steps.tookMs / 1_000).toFixed(0)} s`);
}
