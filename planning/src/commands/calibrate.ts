import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LaneId } from "@faceline/contracts/wire/ids";
import { type Engine, openEngine } from "@faceline/inference/engine/engine";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { modelsFolder } from "@faceline/models/model-file";
import { buildLanes } from "../calibration/built-lanes.ts";
import { runProfile, usefulSize } from "../calibration/lane-profile.ts";
import { type RunSample, sampleRuns } from "../calibration/lane-samples.ts";
import { otherWorkMax, watchOtherWork } from "../calibration/machine-noise.ts";
import { decodeAll, preparationLine, samplePreparation } from "../calibration/preparation-samples.ts";
import type { LaneProfile, Profile } from "../profile/profile.ts";
import { meanInterval, quantilesOf } from "../profile/quantiles.ts";
import type { CommandContext } from "./context.ts";

export const calibrateUsage = `npm run plan -- calibrate [options]

Measures on this machine how long runs and preparations take, with the real engine, and writes a profile.
Stop the service first: whatever else runs makes everything slower, and then this stops.

  --lanes LIST         models and detectors  [Dlib/ssd]
  --workers N          workers of a machine  [as npm start: ${availableParallelism()} here]
  --batch-max N        largest batch  [8]
  --rounds N           samples of each size, beside each number of other workers  [20]
  --pictures FOLDER    JPEGs like those that will come  [the sample pictures]
  --models-dir FOLDER  [where npm start builds models]
  --out FILE           [.faceline/plan/profile.json]
  --accept-noise       goes on beside other work; the profile and every plan from it say so
`;

/** Calibrates this machine and writes its profile. Returns the exit code, 3 where it is not quiet. */
export async function calibrate(
  args: string[],
  { stateFolder, print, progress }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args, options });
  const lanes = values.lanes.split(",").map((each) => LaneId.parse(each.trim()));
  const workers = Number(values.workers);
  const batchMax = Number(values["batch-max"]);
  const files = readPictures(values.pictures);
  const out = values.out ?? join(stateFolder, "plan", "profile.json");

  print(`Watching for other work for ${quietMs / 1_000} s …`);
  const before = watchOtherWork();
  await sleep(quietMs);
  if (!isQuiet(before(), values["accept-noise"], print)) return notQuietCode;

  const modelsDir = resolve(values["models-dir"]);
  progress("models");
  await buildLanes(modelsDir, lanes);
  const engines: Engine[] = [];
  const during = watchOtherWork();
  const profiles: LaneProfile[] = [];
  try {
    for (let worker = 0; worker < workers; worker++) {
      progress(`loading: worker ${worker + 1} of ${workers}`);
      engines.push(await openEngine({ ...engineOptions, lanes, batchMax, modelsDir }));
    }
    const pictures = await decodeAll(files);
    progress("preparation");
    const line = preparationLine(await samplePreparation(files, preparationRounds));
    for (const loaded of engines[0]!.lanes) {
      const sizes = loaded.sizes.map(({ size }) => size);
      const rounds = Number(values.rounds);
      const plan = { engines, lane: loaded.lane, sizes, pictures, rounds, random: Math.random, progress };
      const samples = await sampleRuns(plan);
      progress("");
      profiles.push({
        lane: loaded.lane,
        digest: loaded.build.digest,
        precision: loaded.build.precision,
        executionProvider: loaded.executionProvider,
        ...runProfile(samples),
        preparation: { ...line, factors: quantilesOf(line.factors) },
      });
      print(laneText(loaded.lane, samples));
    }
  } finally {
    for (const engine of engines) await engine[Symbol.asyncDispose]();
  }
  const noise = during();
  if (!isQuiet(noise, values["accept-noise"], print)) return notQuietCode;

  const profile: Profile = {
    format: "faceline-profile",
    version: 1,
    measuredAt: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryMiB: Math.round(totalmem() / 2 ** 20),
    },
    noise: Number(noise.toFixed(3)),
    acceptedNoise: noise > otherWorkMax,
    lanes: profiles,
    hops: assumedHops,
  };
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(`${out}.part`, JSON.stringify(profile, null, 1));
  renameSync(`${out}.part`, out);
  print(`Written: ${out}. Other programs used ${noise.toFixed(2)} cores meanwhile.`);
  return 0;
}

function isQuiet(cores: number, isAccepted: boolean, print: (line: string) => void): boolean {
  if (cores <= otherWorkMax) return true;
  print(
    `THIS MACHINE IS NOT QUIET: other programs use ${cores.toFixed(2)} cores, more than ${otherWorkMax}. ` +
      (isAccepted
        ? "Going on, as --accept-noise says; the profile is marked."
        : "Stop them, or go on with --accept-noise."),
  );
  return isAccepted;
}

function laneText(lane: LaneId, samples: readonly RunSample[]): string {
  const alone = Map.groupBy(
    samples.filter(({ besides }) => besides === 0),
    ({ size }) => size,
  );
  const rows = [...alone]
    .toSorted(([a], [b]) => a - b)
    .map(([size, each]) => {
      const { mean, plusMinus } = meanInterval(each.map(({ ms }) => ms));
      const perSecond = ((1_000 * size) / mean).toFixed(1);
      return `  batch of ${size}: ${mean.toFixed(1)} ± ${plusMinus.toFixed(1)} ms, ${perSecond} pictures a second`;
    });
  const beside = runProfile(samples)
    .contention.map((factor, count) => `${count}: x ${factor.toFixed(2)}`)
    .join(", ");
  return [
    lane,
    ...rows,
    `  beside so many other workers  ${beside}`,
    `  useful size: ${usefulSize(samples)}`,
  ].join("\n");
}

function readPictures(folder: string): Buffer[] {
  const names = readdirSync(folder).filter((name) => /\.jpe?g$/i.test(name));
  if (names.length === 0) throw new Error(`${folder} has no JPEG pictures.`);
  return names.slice(0, picturesMax).map((name) => readFileSync(join(folder, name)));
}

const options = {
  lanes: { type: "string", default: "Dlib/ssd" },
  workers: { type: "string", default: `${availableParallelism()}` },
  "batch-max": { type: "string", default: "8" },
  rounds: { type: "string", default: "20" },
  pictures: { type: "string", default: join(import.meta.dirname, "../../../ingress/pages/samples") },
  "models-dir": { type: "string", default: modelsFolder },
  out: { type: "string" },
  "accept-noise": { type: "boolean", default: false },
} as const;

/** The defaults of the inference service. */
const engineOptions = {
  modelled: undefined,
  executionProvider: "cpu",
  intraOpThreads: 1,
  precision: PrecisionSetting.parse("auto"),
  detectorChunkMax: 4,
  faceChunkMax: 16,
  residualMaxPx: 6,
  runMaxMs: 60_000,
} as const;

/**
 * What the parts around the engine take where all services are on one machine: medians of Server-Timing of
 * /verify with two pictures there. They are not measured here, because the service does not run.
 */
const assumedHops = { intakeMs: 6, toWorkerMs: 10, reportMs: 3, replyMs: 3, jitter: 0.5 };

const quietMs = 3_000;
const preparationRounds = 10;
const picturesMax = 100;
/** Of the command, where the machine is not quiet. */
const notQuietCode = 3;
