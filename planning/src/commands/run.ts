import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PoolSettings } from "../prediction/predict.ts";
import { parseTarget } from "../prediction/target.ts";
import { workOfCalls } from "../profile/load.ts";
import { readProfile } from "../profile/profile.ts";
import { planText, type WhatIf } from "../report/text.ts";
import { Checkpoint } from "../search/checkpoint.ts";
import { PredictionThreads } from "../search/prediction-threads.ts";
import { search } from "../search/search.ts";
import { nameOf, settingsOf } from "../search/settings-grid.ts";
import { busiestWindows, wholeTrace } from "../search/windows.ts";
import { positive, trafficOf, trafficOptions, trafficUsage } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";

export const runUsage = `npm run plan -- run [options]

Finds the cheapest settings with which a pool meets a target on some traffic.

  --profile FILE       how long things take on the machine, from calibrate  [.faceline/plan/profile.json]
${trafficUsage}
  --target TEXT        [p99<1s,shed<0.1%,late<0.01%]
  --utilisation LIST   values of UTILISATION_TARGET  [0.7,0.85,0.95]
  --deadlines LIST     deadlines in ms, of every call, in place of the traffic's own
  --workers-max N      [16]
  --json FILE          writes everything that was tried

Ctrl-C stops it; the same command goes on from there.
`;

/** Runs the search of `npm run plan -- run` and prints what it found. Returns the exit code. */
export async function run(args: string[], { stateFolder, print, progress }: CommandContext): Promise<number> {
  const { values } = parseArgs({ args, options });
  const profile = readProfile(values.profile ?? join(stateFolder, "plan", "profile.json"));
  const trace = await trafficOf(values, profile.lanes[0]!.lane);
  const target = parseTarget(values.target);
  const checkpoint = new Checkpoint(join(stateFolder, "plan", "checkpoints"), {
    trace,
    profile,
    traffic: target,
  });
  const work = workOfCalls(trace, profile);
  const parts = {
    windows: busiestWindows(trace, work, Math.max(windowCallsMin, trace.calls / 50)),
    "all calls": [wholeTrace(trace)],
  };
  const load = work.reduce((sum, ms) => sum + ms, 0) / Math.max(1, trace.durationMs);
  print(
    `${trace.calls} calls with ${trace.pictures} pictures in ${(trace.durationMs / 1_000).toFixed(0)} s: ` +
      `${load.toFixed(2)} workers' work in full batches.`,
  );
  if (checkpoint.resumed > 0) print(`${checkpoint.resumed} predictions are known from a run before.`);

  await using threads = new PredictionThreads(trace, profile, availableParallelism());
  let [begun, ended] = [0, 0];
  const evaluate = async (settings: PoolSettings, scope: keyof typeof parts) => {
    progress(`${++begun} begun, ${ended} ended: ${nameOf(settings)}, ${scope}`);
    const prediction = await checkpoint.get(`${scope}: ${nameOf(settings)}`, () =>
      threads.predict(settings, { parts: parts[scope], target }),
    );
    progress(`${begun} begun, ${++ended} ended`);
    return prediction;
  };
  const choices = {
    utilisationTargets: numbers(values.utilisation),
    deadlinesMs: values.deadlines === undefined ? [undefined] : numbers(values.deadlines),
  };
  const result = await search({
    workersMin: Math.max(1, Math.floor(load)),
    workersMax: Math.max(Math.ceil(load), Number(values["workers-max"])),
    settingsOf: (workers) => settingsOf(workers, profile, choices),
    evaluate,
  });

  const whatIfs: WhatIf[] = [];
  const { winner } = result;
  if (winner !== undefined) {
    const { settings } = winner;
    const lost = { ...settings, workers: settings.workers - 1 };
    const all = parts["all calls"];
    whatIfs.push({ name: "as it is", settings, prediction: winner.prediction });
    const twice = await threads.predict(settings, { parts: all, rateFactor: 2 });
    whatIfs.push({ name: "traffic x 2", settings, prediction: twice });
    if (lost.workers > 0) {
      whatIfs.push({
        name: "a worker lost",
        settings: lost,
        prediction: await threads.predict(lost, { parts: all }),
      });
    }
  }
  progress("");
  const mark = profile.acceptedNoise
    ? `the profile was measured while other programs took ${(100 * profile.noise).toFixed(0)} % of a core.`
    : undefined;
  print("");
  print(planText({ result, target, whatIfs, ...(mark !== undefined && { mark }) }));
  if (values.json !== undefined)
    writeFileSync(values.json, JSON.stringify({ target, mark, ...result, whatIfs }));
  return winner === undefined ? 2 : 0;
}

const numbers = (list: string): number[] => list.split(",").map((each) => positive(each, `"${list}"`));

const options = {
  profile: { type: "string" },
  ...trafficOptions,
  target: { type: "string", default: "p99<1s,shed<0.1%,late<0.01%" },
  utilisation: { type: "string", default: "0.7,0.85,0.95" },
  deadlines: { type: "string" },
  "workers-max": { type: "string", default: "16" },
  json: { type: "string" },
} as const;

/** Calls of all windows together, at least. */
const windowCallsMin = 20_000;
