import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { advise } from "../advice/advise.ts";
import { fewestChangesFirst, preferDefaults } from "../advice/default-settings.ts";
import { serviceFault } from "../calibration/service-profile.ts";
import type { PoolSettings } from "../prediction/predict.ts";
import { parseTarget } from "../prediction/target.ts";
import { workOfCalls } from "../profile/load.ts";
import { unknownSizesMark } from "../profile/measured-sizes.ts";
import { readProfile } from "../profile/profile.ts";
import { planPage } from "../report/page.ts";
import { machineSummary, type Plan } from "../report/plan.ts";
import { planText, wrapped } from "../report/text.ts";
import { amountText } from "../report/words.ts";
import { Checkpoint } from "../search/checkpoint.ts";
import { PredictionThreads } from "../search/prediction-threads.ts";
import { search } from "../search/search.ts";
import { nameOf, settingsOf } from "../search/settings-grid.ts";
import { planScopes } from "../search/windows.ts";
import {
  positive,
  trafficArguments,
  trafficOf,
  trafficOptions,
  trafficUsage,
} from "../trace/traffic-options.ts";
import { trafficSummary } from "../trace/traffic-summary.ts";
import type { CommandContext } from "./context.ts";

export const runUsage = `npm run plan -- run [options]

Finds the cheapest settings with which a pool meets a target on some traffic.

  --profile FILE       how long things take on the machine, from calibrate  [.faceline/plan/profile.json]
${trafficUsage}
  --target TEXT        [p99<1s,shed<0.1%,late<0.01%]
  --utilisation LIST   values of UTILISATION_TARGET  [0.7,0.85,0.95]
  --deadlines LIST     deadlines in ms, of every call, in place of the traffic's own
  --workers-max N      [16]
  --tenant-share N     what if one tenant sends this share of the calls  [0.5]
  --also-profile FILE  what if the machine is another one; may be repeated
  --json FILE          the plan for npm run plan -- apply, with everything that was tried
                       [.faceline/plan/plan.json]
  --html FILE          the plan as a page that needs nothing else

Ctrl-C stops it; the same command goes on from there.
`;

/** Runs the search of `npm run plan -- run` and prints what it found. Returns the exit code. */
export async function run(args: string[], { stateFolder, print, progress }: CommandContext): Promise<number> {
  const {
    values: { "also-profile": alsoProfiles = [], ...values },
  } = parseArgs({ args, options });
  const profile = readProfile(values.profile ?? join(stateFolder, "plan", "profile.json"));
  const trace = await trafficOf(values, profile.lanes[0]!.lane);
  const target = parseTarget(values.target);
  const tenantShare = share(values["tenant-share"], "--tenant-share");
  const otherProfiles = alsoProfiles.map((file) => ({
    name: basename(file, ".json"),
    profile: readProfile(file),
  }));
  const checkpoint = new Checkpoint(join(stateFolder, "plan", "checkpoints"), {
    trace,
    profile,
    traffic: target,
  });
  const work = workOfCalls(trace, profile);
  const parts = planScopes(trace, work);
  const load = work.reduce((sum, ms) => sum + ms, 0) / Math.max(1, trace.durationMs);
  print(
    `${amountText(trace.calls, "call")} with ${amountText(trace.pictures, "picture")} in ${(trace.durationMs / 1_000).toFixed(0)} s: ` +
      `${load.toFixed(2)} workers' work in full batches.`,
  );
  const sizesMark = unknownSizesMark(profile);
  if (sizesMark !== undefined) print(sizesMark);
  const fault = serviceFault(profile);
  if (fault !== undefined) print(wrapped(fault).join("\n"));
  if (checkpoint.resumed > 0) print(`${checkpoint.resumed} predictions are known from a run before.`);

  await using threads = new PredictionThreads(trace, profile);
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
  const workersMax = Math.max(Math.ceil(load), Number(values["workers-max"]));
  const found = await search({
    workersMin: Math.max(1, Math.floor(load)),
    workersMax,
    settingsOf: (workers) => fewestChangesFirst(settingsOf(workers, profile, choices), profile),
    evaluate,
  });
  const result = await preferDefaults(found, { profile, evaluate });

  progress("what-ifs");
  const advice = await advise(result, {
    threads,
    trace,
    profile,
    target,
    scopes: parts,
    evaluate,
    workersMax,
    tenantShare,
    otherProfiles,
  });
  progress("");
  const plan: Plan = {
    format: "faceline-plan",
    version: 1,
    madeAt: new Date().toISOString(),
    target,
    source: sourceText(values),
    traffic: trafficSummary(trace),
    load,
    machine: machineSummary(profile),
    ...result,
    ...advice,
  };
  const file = values.json ?? join(stateFolder, "plan", "plan.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(plan));
  const planFile = shortest(file);
  const traffic = values.trace === undefined ? trafficArguments(values) : ["--trace", values.trace];
  print("");
  print(planText(plan, { traffic, planFile }));
  if (values.html !== undefined) writeFileSync(values.html, planPage(plan, planFile));
  return result.winner === undefined ? 2 : 0;
}

/** As seen from the current folder, where that is shorter. */
function shortest(file: string): string {
  const fromHere = relative("", file);
  return fromHere.length < file.length ? fromHere : file;
}

const sourceText = ({ trace, draw, seed }: { trace?: string; draw: string; seed: string }): string =>
  trace === undefined ? `drawn: ${draw}, seed ${seed}` : basename(trace);

function share(text: string, name: string): number {
  const number = positive(text, name);
  if (number > 1) throw new Error(`${name} must be at most 1.`);
  return number;
}

const numbers = (list: string): number[] => list.split(",").map((each) => positive(each, `"${list}"`));

const options = {
  profile: { type: "string" },
  ...trafficOptions,
  target: { type: "string", default: "p99<1s,shed<0.1%,late<0.01%" },
  utilisation: { type: "string", default: "0.7,0.85,0.95" },
  deadlines: { type: "string" },
  "workers-max": { type: "string", default: "16" },
  "tenant-share": { type: "string", default: "0.5" },
  "also-profile": { type: "string", multiple: true },
  json: { type: "string" },
  html: { type: "string" },
} as const;
