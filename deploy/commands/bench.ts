import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compareCommits } from "../bench/against/against.ts";
import { againstParts } from "../bench/against/loads.ts";
import type { Part } from "../bench/part.ts";
import { accuracy } from "../bench/parts/accuracy.ts";
import { cpuProfile } from "../bench/parts/cpu-profile.ts";
import { detection } from "../bench/parts/detection.ts";
import { efficiency } from "../bench/parts/efficiency.ts";
import { faces } from "../bench/parts/faces.ts";
import { idle } from "../bench/parts/idle.ts";
import { ingress } from "../bench/parts/ingress.ts";
import { memory } from "../bench/parts/memory.ts";
import { openLoopPart } from "../bench/parts/open-loop.ts";
import { drawOpenLoop } from "../bench/parts/open-loop-plots.ts";
import { predictions, predictionsModelled } from "../bench/parts/predictions.ts";
import { recording } from "../bench/parts/recording.ts";
import { saturation } from "../bench/parts/saturation.ts";
import { singleRequest } from "../bench/parts/single-request.ts";
import { telemetryBare, telemetryModelled } from "../bench/parts/telemetry.ts";
import { telemetrySampling } from "../bench/parts/telemetry-sampling.ts";
import { telemetrySpans } from "../bench/parts/telemetry-spans.ts";
import { setUpFacePeers } from "../bench/peers/faces/systems.ts";
import { peersVenv } from "../bench/peers/modelled/systems.ts";
import { writeResults } from "../bench/report.ts";
import { readDevKey, storeKey } from "../launcher/dev-key.ts";
import { readLaunchOptions } from "../launcher/settings.ts";
import { repository } from "../launcher/state-folder.ts";
import { Steps } from "../launcher/steps.ts";
import { stopRequests } from "../launcher/stop-requests.ts";
import { threadsPerWorker } from "../launcher/worker-count.ts";
import { openTestServers } from "../testing/test-servers.ts";
import { setUpVenv } from "../testing/venv.ts";

// `npm run bench`: the benchmark behind every number in BENCHMARKS.md; see deploy/bench/README.md.
//
//   -- --setup          install the servers that Faceline is measured beside (Python), and nothing else
//   -- --quick          everything in some six minutes, to see that it works; without it some forty
//   -- --only PARTS     some of the parts below, with commas
//   -- --plots          draw deploy/bench/plots from the last full open-loop part, and nothing else
//   -- --faces          the part that is left out above: real models, here and in other servers; 12 minutes
//   -- --faces --setup  install those other servers (Python and a C++ compiler), and nothing else
//   -- --telemetry      what traces and metrics cost: the parts telemetry-…; 20 minutes
//   -- --telemetry --add    again, with the values of the last run
//   -- --against REF    compare the working tree with another commit; --only of verify, compare, …

const defaultParts: Record<string, Part> = {
  "single-request": singleRequest,
  saturation,
  "open-loop": openLoopPart,
  ingress,
  idle,
  efficiency,
  accuracy,
  detection,
  memory,
};
/** Only run when named: what `faces` needs takes long to install, and a profiler makes everything slower. */
const namedParts: Record<string, Part> = {
  faces,
  "cpu-profile": cpuProfile,
  predictions,
  "predictions-modelled": predictionsModelled,
  recording,
  "telemetry-modelled": telemetryModelled,
  "telemetry-bare": telemetryBare,
  "telemetry-sampling": telemetrySampling,
  "telemetry-spans": telemetrySpans,
};
const allParts = { ...defaultParts, ...namedParts };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const requests = stopRequests(say);
try {
  await main();
} catch (fault) {
  process.exitCode = 1;
  if (!requests.stop.aborted) process.stderr.write(`\n${(fault as Error).message}\n`);
}
process.exit();

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      setup: { type: "boolean", default: false },
      plots: { type: "boolean", default: false },
      faces: { type: "boolean", default: false },
      telemetry: { type: "boolean", default: false },
      add: { type: "boolean", default: false },
      only: { type: "string" },
      against: { type: "string" },
    },
  });
  const { quick, add, against } = options;
  const known = against === undefined ? Object.keys(allParts) : againstParts;
  const names =
    options.only?.split(",") ??
    namedByOption(options) ??
    (against === undefined ? Object.keys(defaultParts) : known);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only has no part ${unknown}: the parts are ${known.join(", ")}.`);
  }
  const steps = Steps.sinceCommandStart(say);
  const launch = readLaunchOptions([], process.env);
  const folder = join(resolve(repository, launch.FACELINE_STATE), "bench");
  if (options.setup) {
    const { stop } = requests;
    return names.includes("faces")
      ? setUpFacePeers(folder, steps, stop)
      : setUpVenv(peersVenv(folder), steps, stop);
  }
  if (options.plots) {
    const files = drawOpenLoop(join(folder, "open-loop.json"), join(repository, "deploy/bench/plots"));
    return say(files.join("\n"));
  }

  const threads = launch.INTRA_OP_THREADS ?? threadsPerWorker(1);
  if (against !== undefined) {
    const stateFolder = resolve(repository, launch.FACELINE_STATE);
    const options = { ref: against, parts: names, folder, stateFolder, quick, steps, say, ...requests };
    const result = await compareCommits(options);
    const file = await writeResults({ folder, quick, threads }, "against", result);
    if (result.slower) process.exitCode = 1;
    return say(
      `\n${result.tables}\n\nevery value: ${file}\nall of it: ${(steps.tookMs / 1_000).toFixed(0)} s`,
    );
  }

  await using servers = await openTestServers({ launch, steps, print: say, ...requests });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.environment, key, "dev");
  const bench = { servers, launch, key, threads, quick, add, folder, steps, say, stop: requests.stop };
  for (const name of names) {
    say(`\n${name}`);
    const result = await allParts[name]!(bench);
    const file = await writeResults(bench, name, result);
    say(`\n${result.tables}\n\nevery value: ${file}`);
    if (result.failedChecks !== undefined && result.failedChecks.length > 0) process.exitCode = 1;
  }
  say(`\nall of it: ${(steps.tookMs / 1_000).toFixed(0)} s`);
}

/** The parts that have an option of their own. */
function namedByOption({ faces, telemetry }: { faces: boolean; telemetry: boolean }): string[] | undefined {
  if (faces) return ["faces"];
  return telemetry ? ["telemetry-modelled", "telemetry-bare", "telemetry-sampling"] : undefined;
}
