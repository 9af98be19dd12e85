import { join, resolve } from "node:path";
import type { Measured, Part } from "@faceline/bench/part";
import { accuracy } from "@faceline/bench/parts/accuracy";
import { detection } from "@faceline/bench/parts/detection";
import { faces } from "@faceline/bench/parts/faces";
import { fetchHeldOut } from "@faceline/bench/parts/held-out";
import { openLoopPart } from "@faceline/bench/parts/open-loop";
import { saturation } from "@faceline/bench/parts/saturation";
import { singleRequest } from "@faceline/bench/parts/single-request";
import { setUpFacePeers } from "@faceline/bench/peers/faces/systems";
import { peersVenv } from "@faceline/bench/peers/modelled/systems";
import { writeResults } from "@faceline/bench/report";
import { readDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { threadsPerWorker } from "@faceline/deploy/launcher/worker-count";
import { parseOptions } from "@faceline/models/parse-options";
import { openTestServers } from "@faceline/testing/test-servers";
import { setUpVenv } from "@faceline/testing/venv";

const usage = `usage: npm run bench -- [OPTIONS]

The benchmark behind every number in docs/benchmarks.md; see tools/bench/README.md.

  --setup          install the servers that Faceline is measured beside (Python), and nothing else; with
                   --only accuracy, fetch its held-out images instead
  --quick          two requests of each, to see that everything works; without it some forty minutes
  --only PARTS     single-request, saturation, open-loop, accuracy, detection, faces; with commas
  --write          the part accuracy writes the cards of the models
  --faces          real models, here and in other servers; 25 minutes
  --faces --setup  install those other servers (Python), and nothing else`;

const defaultParts: Record<string, Part> = {
  "single-request": singleRequest,
  saturation,
  "open-loop": openLoopPart,
  accuracy,
};
/** Only run when named: one needs much to be installed, the other changes with a model alone. */
const namedParts: Record<string, Part> = { faces, detection };
const allParts = { ...defaultParts, ...namedParts };

await runCommand(usage, bench);

async function bench({ print: say, ...requests }: Command): Promise<void> {
  const { values: options } = parseOptions({
    options: {
      quick: { type: "boolean", default: false },
      setup: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      faces: { type: "boolean", default: false },
      only: { type: "string" },
    },
  });
  const { quick } = options;
  const known = Object.keys(allParts);
  const names = options.only?.split(",") ?? (options.faces ? ["faces"] : Object.keys(defaultParts));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only has no part ${unknown}: the parts are ${known.join(", ")}.`);
  }
  const steps = Steps.sinceCommandStart();
  const launch = readLaunchOptions([], process.env);
  const folder = join(resolve(repository, launch.FACELINE_STATE), "bench");
  if (options.setup) {
    const { stop } = requests;
    if (names.join() === "accuracy") return fetchHeldOut(folder, steps, stop);
    return names.includes("faces")
      ? setUpFacePeers(folder, steps, stop)
      : setUpVenv(peersVenv(folder), steps, stop);
  }

  const threads = launch.INTRA_OP_THREADS ?? threadsPerWorker(1);
  await using servers = await openTestServers({ launch, steps, print: say, ...requests });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.environment, key, "dev");
  const context = {
    servers,
    launch,
    key,
    threads,
    quick,
    writeCards: options.write,
    folder,
    steps,
    say,
    stop: requests.stop,
  };
  for (const [index, name] of names.entries()) {
    say(`\n${name} (${index + 1} of ${names.length})`);
    const save = (measured: Measured) => writeResults(context, name, measured);
    const result = await allParts[name]!({ ...context, save });
    const file = await save(result);
    say(`\n${result.tables}\n\nevery value: ${file}`);
    if (result.failedChecks !== undefined && result.failedChecks.length > 0) process.exitCode = 1;
  }
  say(`\nall of it: ${(steps.tookMs / 1_000).toFixed(0)} s`);
}
