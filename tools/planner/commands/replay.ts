import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serviceFault } from "../calibration/service-profile.ts";
import { predict } from "../prediction/predict.ts";
import { runsOnCores } from "../profile/lane-times.ts";
import { unknownSizesMark } from "../profile/measured-sizes.ts";
import { readProfile } from "../profile/profile.ts";
import { compare, measuredOf } from "../replay/comparison.ts";
import { replayTrace } from "../replay/load.ts";
import { type PictureStock, stockPictures } from "../replay/picture-stock.ts";
import { runPace } from "../replay/run-counts.ts";
import { watchService } from "../replay/service-counters.ts";
import { readServiceSettings } from "../replay/service-settings.ts";
import { replayText } from "../report/replay-text.ts";
import { amountText, settingsText } from "../report/words.ts";
import { repeatedTrace } from "../trace/trace-part.ts";
import { positive, trafficOf, trafficOptions, trafficUsage } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { isLoopback, readLines, samplePhotographs, tokenOf, workersPerMachine } from "./inputs.ts";

export const replayUsage = `npm run plan -- replay --url URL --key-file FILE [options]

Sends traffic to the running service and prints what a prediction said of it, what was measured, and the
errors. Calls are sent when they are due, answered or not, and run like any others: give it a service that may
be loaded. Pictures are made from the sample pictures, with the bytes and pixels of the trace.

  --url URL            an ingress
  --key-file FILE      API keys, one a line; tenants use them in turn. The limits of their teams hold
  --profile FILE       how long things take on the machine, from calibrate  [.faceline/plan/profile.json]
${trafficUsage}
  --operators LIST     operators' ports of batchers and workers, as http://127.0.0.1:9480: the settings of the
                       service are read there; without them, mean batch, utilisation, run times and the pace of
                       the machine are not measured
  --workers N          workers of the service  [as --operators say, or as on the machine of the profile]
  --batch-max N        BATCH_MAX of the service  [as --operators say, or 4]
  --utilisation N      UTILISATION_TARGET of the service  [as --operators say, or 0.85]
  --token-file FILE    the operators' token
  --in-flight-max N    calls beyond are not sent, and counted  [4000]
  --json FILE          writes every number
`;

/** Replays traffic and prints predicted and measured values. Returns the exit code. */
export async function replay(args: string[], context: CommandContext): Promise<number> {
  const { stateFolder, print, progress } = context;
  const { values } = parseArgs({ args, options });
  if (values.url === undefined || values["key-file"] === undefined) {
    throw new Error(
      "replay needs --url URL, of an ingress, and --key-file FILE, with an API key on each line.",
    );
  }
  const profile = readProfile(values.profile ?? join(stateFolder, "plan", "profile.json"));
  const keys = readLines(values["key-file"]);
  const traffic = await trafficOf(values, profile.lanes[0]!.lane);
  // Tenants with one key are one team, also for the scheduler.
  const trace = traffic.withTenants(keys.length);
  const token = tokenOf(values);
  const ports = values.operators?.split(",") ?? [];
  const inForce = await readServiceSettings(ports, token);
  const given = (name: "workers" | "batch-max" | "utilisation") =>
    values[name] === undefined ? undefined : positive(values[name], `--${name}`);
  const settings = {
    workers: given("workers") ?? inForce?.workers ?? workersPerMachine(profile),
    batchMax: given("batch-max") ?? inForce?.batchMax ?? 4,
    utilisationTarget: given("utilisation") ?? inForce?.utilisationTarget ?? 0.85,
  };
  // First, because it says what the profile lacks.
  const predictionPlan = {
    parts: repeatedTrace(trace, predictedCallsMin),
    clientIsHere: isLoopback(values.url),
  };
  const predicted = predict(trace, profile, settings, predictionPlan);
  const stock = await stockPictures(trace, samplePhotographs(), progress);

  print(
    `${trace.calls} calls in ${(trace.durationMs / 1_000).toFixed(0)} s to ${values.url}, with ${settingsText(settings)}.`,
  );
  const counted = await watchService(ports, token);
  const plan = { url: values.url, keys, inFlightMax: positive(values["in-flight-max"], "--in-flight-max") };
  const calls = await replayTrace({ trace, stock, plan, progress });
  const measured = measuredOf(calls, await counted());
  const pace = runsOnCores(profile) ? runPace(measured.runs, predicted.meanRunCpuMs) : undefined;
  const isOneMachine = pace !== undefined && pace < paceMax && pace > 1 / paceMax;
  const atPace = isOneMachine
    ? { pace, prediction: predict(trace, profile, settings, { ...predictionPlan, pace }) }
    : undefined;
  progress("");

  const marks = profile.acceptedNoise
    ? [`NOT QUIET when the profile was measured: ${profile.noise} cores.`]
    : [];
  const sizesMark = unknownSizesMark(profile);
  if (sizesMark !== undefined) marks.push(sizesMark);
  const fault = serviceFault(profile);
  if (fault !== undefined) marks.push(fault);
  if (pace !== undefined && !isOneMachine) {
    marks.push(
      `Runs took ${pace.toFixed(2)} times the CPU time that was predicted for them: the service has another ` +
        "machine, engine or INTRA_OP_THREADS than the profile.",
    );
  }
  if (!profile.service.isMeasured) marks.push("The service was not measured: calibrate --url URL adds it.");
  const tenants = new Set(traffic.columns.tenant).size;
  if (tenants > keys.length)
    marks.push(
      `${tenants} tenants of the trace share ${amountText(keys.length, "key")}: each key is one team.`,
    );
  marks.push(...stockMarks(stock));
  print(replayText({ predicted, atPace }, measured, marks));
  if (values.json !== undefined) {
    const compared = compare(predicted, measured);
    const comparedAtPace = atPace && compare(atPace.prediction, measured);
    const all = { settings, marks, predicted, atPace, measured, compared, comparedAtPace };
    writeFileSync(values.json, JSON.stringify(all, null, 1));
  }
  return 0;
}

/** A minute of calls alone would give another p99 for each seed. */
const predictedCallsMin = 20_000;
/** A machine that is shared is slower or faster by less. */
const paceMax = 2;

function stockMarks({ roundedTo, larger }: PictureStock): string[] {
  const marks: string[] = [];
  if (roundedTo > 1)
    marks.push(`The trace has many sizes of pictures: those within ${roundedTo} times share one.`);
  if (larger > 0) marks.push(`${larger} pictures have more bytes than recorded: a photograph did not fit.`);
  return marks;
}

const options = {
  url: { type: "string" },
  "key-file": { type: "string" },
  profile: { type: "string" },
  ...trafficOptions,
  workers: { type: "string" },
  "batch-max": { type: "string" },
  utilisation: { type: "string" },
  operators: { type: "string" },
  "token-file": { type: "string" },
  "in-flight-max": { type: "string", default: "4000" },
  json: { type: "string" },
} as const;
