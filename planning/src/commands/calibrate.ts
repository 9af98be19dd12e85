import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LaneId } from "@faceline/contracts/wire/ids";
import { type Engine, openEngine } from "@faceline/inference/engine/engine";
import { EngineChoice } from "@faceline/inference/engine/modelled";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { modelsFolder } from "@faceline/models/model-file";
import { buildLanes } from "../calibration/built-lanes.ts";
import { runProfile, usefulSize, withoutWaits } from "../calibration/lane-profile.ts";
import { type RunSample, sampleRuns } from "../calibration/lane-samples.ts";
import { noiseSentence, type OtherWork, watchOtherWork } from "../calibration/machine-noise.ts";
import {
  decodeAll,
  noPreparation,
  preparationProfile,
  samplePreparation,
} from "../calibration/preparation-samples.ts";
import type { LaneProfile, Profile } from "../profile/profile.ts";
import { meanInterval } from "../profile/quantiles.ts";
import { calibrateService } from "./calibrate-service.ts";
import type { CommandContext } from "./context.ts";
import { samplesFolder } from "./inputs.ts";

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
  --engine MODEL       a modelled engine as of npm start, model:40+2b, to try the path around it

Then, with the service running and doing nothing else, this adds to the profile what calls take around the
engine:

npm run plan -- calibrate --url URL --key-file FILE --operators LIST [options]

  --url URL            an ingress on this machine
  --key-file FILE      an API key whose team has no limits
  --operators LIST     operators' ports of all batchers and workers, as http://127.0.0.1:9480
  --token-file FILE    the operators' token
  --seconds N          for each of five measurements  [6]
  --out FILE           the profile to add to  [.faceline/plan/profile.json]
`;

/** Calibrates this machine and writes its profile. Returns the exit code, 3 where it is not quiet. */
export async function calibrate(
  args: string[],
  { stateFolder, print, progress }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args, options });
  if (values.url !== undefined) return calibrateService(values, { stateFolder, print, progress });
  const modelled = values.engine === undefined ? undefined : EngineChoice.parse(values.engine);
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
  if (modelled === undefined) await buildLanes(modelsDir, lanes);
  const engines: Engine[] = [];
  const during = watchOtherWork();
  const profiles: LaneProfile[] = [];
  let preparation = noPreparation;
  try {
    for (let worker = 0; worker < workers; worker++) {
      progress(`loading: worker ${worker + 1} of ${workers}`);
      engines.push(await openEngine({ ...engineOptions, modelled, lanes, batchMax, modelsDir }));
    }
    const pictures = await decodeAll(files);
    progress("preparation");
    if (modelled === undefined) {
      preparation = preparationProfile(await samplePreparation(files, preparationRounds));
    }
    for (const loaded of engines[0]!.lanes) {
      const sizes = loaded.sizes.map(({ size }) => size);
      const rounds = Number(values.rounds);
      const plan = { engines, lane: loaded.lane, sizes, pictures, rounds, random: Math.random, progress };
      const samples = withoutWaits(await sampleRuns(plan));
      progress("");
      profiles.push({
        lane: loaded.lane,
        digest: loaded.build.digest,
        precision: loaded.build.precision,
        executionProvider: loaded.executionProvider,
        ...withWarmTimes(runProfile(samples), loaded.sizes),
      });
      print(laneText(loaded.lane, samples));
    }
  } finally {
    for (const engine of engines) await engine[Symbol.asyncDispose]();
  }
  const noise = during();
  if (!isQuiet(noise, values["accept-noise"], print)) return notQuietCode;
  const { othersCores, stolenCores } = noise;

  const profile: Profile = {
    format: "faceline-profile",
    version: 3,
    measuredAt: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryMiB: Math.round(totalmem() / 2 ** 20),
    },
    noise: Number((othersCores + stolenCores).toFixed(3)),
    acceptedNoise: noiseSentence(noise) !== undefined,
    lanes: profiles,
    preparation,
    service: assumedService,
  };
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(`${out}.part`, JSON.stringify(profile, null, 1));
  renameSync(`${out}.part`, out);
  print(
    `Written: ${out}. Other programs used ${othersCores.toFixed(2)} cores meanwhile, other machines of the ` +
      `hypervisor ${stolenCores.toFixed(2)}.`,
  );
  return 0;
}

/** The scheduler begins with what workers report of their warm-up, so a prediction does as well. */
function withWarmTimes(
  { runs, ...others }: ReturnType<typeof runProfile>,
  warm: Engine["lanes"][number]["sizes"],
): ReturnType<typeof runProfile> {
  const warmMsOf = new Map(warm.map(({ size, runMs }) => [size, runMs]));
  return {
    ...others,
    runs: runs.map((run) => {
      const warmMs = warmMsOf.get(run.size);
      return warmMs === undefined ? run : { ...run, warmMs };
    }),
  };
}

function isQuiet(work: OtherWork, isAccepted: boolean, print: (line: string) => void): boolean {
  const sentence = noiseSentence(work);
  if (sentence === undefined) return true;
  print(
    `THIS MACHINE IS NOT QUIET: ${sentence}. ` +
      (isAccepted
        ? "Going on, as --accept-noise says; the profile is marked."
        : "Stop what runs beside this, or go on with --accept-noise."),
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
  pictures: { type: "string", default: samplesFolder },
  "models-dir": { type: "string", default: modelsFolder },
  out: { type: "string" },
  "accept-noise": { type: "boolean", default: false },
  engine: { type: "string" },
  url: { type: "string" },
  "key-file": { type: "string" },
  operators: { type: "string" },
  "token-file": { type: "string" },
  seconds: { type: "string", default: "6" },
} as const;

/** The defaults of the inference service. */
const engineOptions = {
  executionProvider: "cpu",
  intraOpThreads: 1,
  precision: PrecisionSetting.parse("auto"),
  detectorChunkMax: 4,
  faceChunkMax: 16,
  residualMaxPx: 6,
  runMaxMs: 60_000,
} as const;

/**
 * What the parts around the engine took on a machine with two cores; it stands until a service is measured.
 */
const assumedService: Profile["service"] = {
  isMeasured: false,
  intakeMs: 6,
  toWorkerMs: 5,
  reportMs: 2,
  replyMs: 3,
  factors: [0.6, 0.9, 1, 1.2, 2.5],
  fetchMs: 2,
  fetchMoreMs: [0, 0],
  handoverMs: 0.5,
  handoverMoreMs: [0, 0],
  turnAroundMs: 1,
  decodesMax: 2,
  cpu: { callMs: 2, pictureMs: 1, megabyteMs: 8 },
  perSecond: 0,
  clientCpu: { callMs: 0.5, pictureMs: 0, megabyteMs: 2 },
};

const quietMs = 3_000;
const preparationRounds = 10;
const picturesMax = 100;
/** Of the command, where the machine is not quiet. */
const notQuietCode = 3;
