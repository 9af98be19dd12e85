import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LaneId } from "@faceline/contracts/wire/ids";
import type { PoolSettings } from "../prediction/predict.ts";
import { parseTarget } from "../prediction/target.ts";
import { workOfCalls } from "../profile/load.ts";
import { type Profile, readProfile } from "../profile/profile.ts";
import { planText, type WhatIf } from "../report/text.ts";
import { Checkpoint } from "../search/checkpoint.ts";
import { PredictionThreads } from "../search/prediction-threads.ts";
import { search } from "../search/search.ts";
import { nameOf, settingsOf } from "../search/settings-grid.ts";
import { busiestWindows, wholeTrace } from "../search/windows.ts";
import { drawTraffic, trafficShapes } from "../trace/drawn-traffic.ts";
import type { Trace } from "../trace/trace.ts";
import { readTrace } from "../trace/trace-file.ts";
import type { CommandContext } from "./context.ts";

export const runUsage = `npm run plan -- run [options]

Finds the cheapest settings with which a pool meets a target on some traffic.

  --profile FILE       how long things take on the machine, from calibrate  [.faceline/plan/profile.json]
  --trace FILE         recorded traffic; or drawn traffic:
  --draw SHAPE         poisson, bursts, diurnal or step
    --rate N           calls a second, of all tenants together  [20]
    --seconds N        length of the trace  [600]
    --tenants N        callers with the same rate each  [5]
    --pictures N       of a call  [2]
    --deadline MS      of a call  [30000]
    --burst-factor N   how many times the quiet rate a burst has  [5]
    --lane LANE        model and detector  [the first of the profile]
    --seed N           another number draws other traffic  [1]
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
  const trace = values.trace === undefined ? drawn(values, profile) : await readTrace(values.trace);
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

function drawn(values: { [name: string]: string | undefined }, { lanes }: Profile): Trace {
  const shape = trafficShapes.find((each) => each === (values["draw"] ?? "poisson"));
  if (shape === undefined)
    throw new Error(`--draw ${values["draw"]}: it is one of ${trafficShapes.join(", ")}.`);
  const number = (name: string) => positive(values[name]!, `--${name}`);
  return drawTraffic({
    shape,
    seed: Number(values["seed"]),
    perSecond: number("rate"),
    seconds: number("seconds"),
    tenants: number("tenants"),
    lane: LaneId.parse(values["lane"] ?? lanes[0]!.lane),
    pictures: number("pictures"),
    cost: 1,
    deadlineMs: number("deadline"),
    factor: number("burst-factor"),
  });
}

const numbers = (list: string): number[] => list.split(",").map((each) => positive(each, `"${list}"`));

function positive(text: string, name: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} must be a number above 0.`);
  return number;
}

const options = {
  profile: { type: "string" },
  trace: { type: "string" },
  draw: { type: "string" },
  rate: { type: "string", default: "20" },
  seconds: { type: "string", default: "600" },
  tenants: { type: "string", default: "5" },
  pictures: { type: "string", default: "2" },
  deadline: { type: "string", default: "30000" },
  "burst-factor": { type: "string", default: "5" },
  lane: { type: "string" },
  seed: { type: "string", default: "1" },
  target: { type: "string", default: "p99<1s,shed<0.1%,late<0.01%" },
  utilisation: { type: "string", default: "0.7,0.85,0.95" },
  deadlines: { type: "string" },
  "workers-max": { type: "string", default: "16" },
  json: { type: "string" },
} as const;

/** Calls of all windows together, at least. */
const windowCallsMin = 20_000;
