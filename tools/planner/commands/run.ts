import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseOptions } from "@faceline/models/parse-options";
import { defaultSettings, fewestChangesFirst, preferDefaults } from "../advice/default-settings.ts";
import { nearestTarget } from "../advice/nearest-target.ts";
import { errorBand } from "../prediction/error-band.ts";
import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import { parseTarget, type Target } from "../prediction/target.ts";
import { workOfCalls } from "../profile/load.ts";
import { type Profile, readProfile } from "../profile/profile.ts";
import { machineSummary, type Plan } from "../report/plan.ts";
import { planText } from "../report/text.ts";
import { amountText } from "../report/words.ts";
import { PredictionThreads } from "../search/prediction-threads.ts";
import { search } from "../search/search.ts";
import { nameOf, settingsOf } from "../search/settings-grid.ts";
import type { Trace } from "../trace/trace.ts";
import { wholeTrace } from "../trace/trace-part.ts";
import { positive, trafficOf, trafficOptions, trafficUsage } from "../trace/traffic-options.ts";
import { trafficSummary } from "../trace/traffic-summary.ts";
import type { CommandContext } from "./context.ts";

export const targetDefault = "p99<1s,shed<0.1%,late<0.01%";

export const runUsage = `npm run plan -- run [options]

Finds the cheapest settings with which a pool meets a target for given traffic.

  --profile FILE       times of the machine, from calibrate  [.faceline/plan/profile.json]
${trafficUsage}
  --target TEXT        [${targetDefault}]
  --utilisation LIST   values of UTILISATION_TARGET  [0.7,0.85,0.95]
  --workers-max N      [16]
  --json FILE          writes the plan as JSON, with everything that was tried
`;

/** Runs the search of `npm run plan -- run` and prints the plan. Returns the exit code. */
export async function run(args: string[], context: CommandContext): Promise<number> {
  const { values } = parseOptions({ args, options });
  const profile = readProfile(values.profile ?? join(context.stateFolder, "plan", "profile.json"));
  return makePlan(
    {
      profile,
      trace: await trafficOf(values, profile.lanes[0]!.lane),
      source:
        values.trace === undefined ? `drawn: ${values.draw}, seed ${values.seed}` : basename(values.trace),
      target: parseTarget(values.target),
      utilisationTargets: numbers(values.utilisation),
      workersMax: Number(values["workers-max"]),
      json: values.json,
    },
    context,
  );
}

/** Searches, and prints and writes the plan. Returns the exit code, 2 where no settings meet the target. */
export async function makePlan(request: PlanRequest, { print, progress }: CommandContext): Promise<number> {
  const { profile, trace, target, utilisationTargets = utilisationDefaults } = request;
  const work = workOfCalls(trace, profile);
  const parts = [wholeTrace(trace)];
  const load = work.reduce((sum, ms) => sum + ms, 0) / Math.max(1, trace.durationMs);
  print(
    `${amountText(trace.calls, "request")} with ${amountText(trace.images, "image")} in ${(trace.durationMs / 1_000).toFixed(0)} s: ` +
      `${load.toFixed(2)} workers' work in full batches.`,
  );

  await using threads = new PredictionThreads(trace, profile);
  progress("error band");
  const band = await errorBand(trace, profile, (settings, plan) => threads.predict(settings, plan));
  let predictions = 0;
  const evaluate = (settings: PoolSettings): Promise<Prediction> => {
    progress(`${++predictions} predictions: ${nameOf(settings)}`);
    return threads.predict(settings, { parts, target });
  };
  const workersMax = Math.max(Math.ceil(load), request.workersMax ?? workersDefault);
  const { winner: least, tried } = await search({
    workersMin: Math.max(1, Math.floor(load)),
    workersMax,
    settingsOf: (workers) => fewestChangesFirst(settingsOf(workers, profile, utilisationTargets), profile),
    evaluate,
  });
  // What lies within the error band is no reason to change a setting.
  const tieFactor = band.compared === undefined ? 1.01 : band.p99;
  const winner = least && preferDefaults(least, { tried, profile, tieFactor });

  progress("the default settings");
  // To its end, also where it misses the target.
  const predictWhole = async (settings: PoolSettings) => ({
    settings,
    prediction: await threads.predict(settings, { parts }),
  });
  const nearest = winner === undefined ? await nearestTarget(tried, { target, predictWhole }) : undefined;
  const defaults = winner && (await predictWhole(defaultSettings(winner.settings.workers, profile)));
  progress("");
  const plan: Plan = {
    format: "faceline-plan",
    version: 1,
    madeAt: new Date().toISOString(),
    target,
    source: request.source,
    traffic: trafficSummary(trace),
    load,
    machine: machineSummary(profile),
    band,
    winner,
    tried,
    nearest,
    defaults,
  };
  if (request.json !== undefined) writeFileSync(request.json, JSON.stringify(plan));
  print("");
  print(planText(plan));
  return winner === undefined ? 2 : 0;
}

const numbers = (list: string): number[] => list.split(",").map((each) => positive(each, `"${list}"`));

const utilisationDefaults = [0.7, 0.85, 0.95];
const workersDefault = 16;

const options = {
  profile: { type: "string" },
  ...trafficOptions,
  target: { type: "string", default: targetDefault },
  utilisation: { type: "string", default: utilisationDefaults.join() },
  "workers-max": { type: "string", default: `${workersDefault}` },
  json: { type: "string" },
} as const;

type PlanRequest = {
  profile: Profile;
  trace: Trace;
  /** Source of the traffic, in words. */
  source: string;
  target: Target;
  utilisationTargets?: number[];
  workersMax?: number;
  json?: string | undefined;
};
