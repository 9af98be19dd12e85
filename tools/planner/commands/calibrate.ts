import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Profile } from "@faceline/contracts/stored/profile";
import { LaneId } from "@faceline/contracts/wire/ids";
import { EngineChoice } from "@faceline/inference/engine/modelled";
import { modelsFolder } from "@faceline/models/model-file";
import { buildLanes } from "../calibration/built-lanes.ts";
import { measureEngine, roundsMaxFactor } from "../calibration/engine-profile.ts";
import { laneText } from "../calibration/lane-text.ts";
import { noiseSentence, type OtherWork, watchOtherWork } from "../calibration/machine-noise.ts";
import { machinePace } from "../calibration/machine-pace.ts";
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
                       up to ${roundsMaxFactor} times as many of runs alone, until the useful size is decided
  --pictures FOLDER    JPEGs like those that will come  [the sample pictures]
  --models-dir FOLDER  [where npm start builds models]
  --out FILE           [.faceline/plan/profile.json]
  --samples FILE       writes the time of every run as well, as JSON
  --accept-noise       goes on beside other work; the profile and every plan from it say so
  --engine MODEL       a modelled engine as of npm start, model:40+2b, to try the path around it

Then, with the service running and doing nothing else, this adds to the profile what calls take around the
engine:

npm run plan -- calibrate --url URL --key-file FILE --operators LIST [options]

  --url URL            an ingress on this machine
  --key-file FILE      an API key whose team has no limits
  --operators LIST     operators' ports of all batchers and workers, as http://127.0.0.1:9480
  --token-file FILE    the operators' token
  --seconds N          of one measurement; there are about 45, and one more for each further lane  [6]
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

  const minutes = Math.ceil((lanes.length * Number(values.rounds)) / roundsAMinute);
  print(`This takes about ${minutes} min, on two cores without a GPU.`);
  print(`Watching for other work for ${quietMs / 1_000} s …`);
  const before = watchOtherWork();
  await sleep(quietMs);
  if (!isQuiet(before(), values["accept-noise"], print)) return notQuietCode;

  const modelsDir = resolve(values["models-dir"]);
  progress("models");
  if (modelled === undefined) await buildLanes(modelsDir, lanes);
  const during = watchOtherWork();
  const rounds = Number(values.rounds);
  const plan = { modelled, lanes, workers, batchMax, modelsDir, files, rounds, progress };
  const { samples, ...measured } = await measureEngine(plan);
  const pace = machinePace(samples);
  if (values.samples !== undefined) writeFileSync(values.samples, JSON.stringify(samples));
  for (const [index, lane] of measured.lanes.entries()) print(laneText(lane, samples[index]!));
  const noise = during();
  if (!isQuiet(noise, values["accept-noise"], print)) return notQuietCode;
  const { othersCores, stolenCores } = noise;

  const profile: Profile = {
    format: "faceline-profile",
    version: 4,
    measuredAt: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryMiB: Math.round(totalmem() / 2 ** 20),
      ...(pace !== undefined && { pace }),
    },
    noise: Number((othersCores + stolenCores).toFixed(3)),
    acceptedNoise: noiseSentence(noise) !== undefined,
    ...measured,
    service: assumedService,
  };
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(`${out}.part`, JSON.stringify(profile, null, 1));
  renameSync(`${out}.part`, out);
  print(
    `Written: ${out}. Other programs used ${othersCores.toFixed(2)} cores meanwhile, other machines of the ` +
      `hypervisor ${stolenCores.toFixed(2)}.`,
  );
  if (modelled === undefined) print(`Workers start from it with PROFILE_FILE=${out} npm start.`);
  return 0;
}

function isQuiet(work: OtherWork, isAccepted: boolean, print: (line: string) => void): boolean {
  const sentence = noiseSentence(work);
  if (sentence === undefined) return true;
  print(
    `THIS MACHINE IS NOT QUIET: ${sentence}. ` +
      (isAccepted
        ? "Going on, as --accept-noise says; the profile will be marked."
        : "Stop what runs beside this, or go on with --accept-noise."),
  );
  return isAccepted;
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
  samples: { type: "string" },
  "accept-noise": { type: "boolean", default: false },
  engine: { type: "string" },
  url: { type: "string" },
  "key-file": { type: "string" },
  operators: { type: "string" },
  "token-file": { type: "string" },
  seconds: { type: "string", default: "6" },
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
  idleFactors: [0.8, 1, 1.2],
  fetchMs: 2,
  fetchMoreMs: [0, 0],
  runFactors: {},
  handoverMs: 0.5,
  handoverMoreMs: [0, 0],
  runWaitShares: [0, 0],
  turnAroundMs: 1,
  decodesMax: 2,
  cpu: { callMs: 2, pictureMs: 1, megabyteMs: 8 },
  perSecond: 0,
  clientCpu: { callMs: 0.5, pictureMs: 0, megabyteMs: 2 },
};

const quietMs = 3_000;
const roundsAMinute = 10;
const picturesMax = 100;
/** Of the command, where the machine is not quiet. */
const notQuietCode = 3;
