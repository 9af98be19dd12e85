import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseOptions } from "@faceline/models/parse-options";
import type { Profile } from "../profile/profile.ts";
import { LaneId } from "@faceline/contracts/wire/ids";
import { EngineChoice } from "@faceline/inference/engine/modelled";
import { modelsFolder } from "@faceline/models/model-file";
import { defaultModels } from "@faceline/runtime/models-config";
import { calibrateMachine } from "../calibration/calibrate-machine.ts";
import { meanOf } from "../profile/lane-times.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { readImages, samplesFolder } from "./inputs.ts";

export const calibrateUsage = `npm run plan -- calibrate [options]

Measures run and preparation times of the real engine on this machine, and writes a profile. Other programs
make all of them longer.

  --lanes LIST         models and detectors  [${defaultModels.lane}]
  --workers N          workers of a machine  [as npm start: ${availableParallelism()} here]
  --batch-max N        largest batch  [8]
  --rounds N           samples of each size, for each number of other workers  [20]
  --seconds N          starts no further round after this time  [600]
  --images FOLDER      JPEGs like those you expect  [the sample images]
  --models-dir FOLDER  [where npm start builds models]
  --out FILE           [.faceline/plan/profile.json]
  --engine MODEL       a modelled engine as for npm start, model:40+2b, to test the path around it
`;

/** Calibrates this machine and writes its profile. Returns the exit code. */
export async function calibrate(
  args: string[],
  { stateFolder, print, progress }: CommandContext,
): Promise<number> {
  const { values } = parseOptions({ args, options });
  const out = values.out ?? join(stateFolder, "plan", "profile.json");
  const profile = await calibrateMachine({
    out,
    modelled: values.engine === undefined ? undefined : EngineChoice.parse(values.engine),
    lanes: values.lanes.split(",").map((each) => LaneId.parse(each.trim())),
    workers: positive(values.workers, "--workers"),
    batchMax: positive(values["batch-max"], "--batch-max"),
    modelsDir: resolve(values["models-dir"]),
    files: readImages(values.images),
    rounds: positive(values.rounds, "--rounds"),
    forMs: 1_000 * positive(values.seconds, "--seconds"),
    progress,
  });
  for (const line of profileLines(profile)) print(line);
  print(`Written: ${out}.`);
  return 0;
}

/** Returns the mean run of each batch size, as lines for a terminal. */
export const profileLines = ({ lanes }: Profile): string[] =>
  lanes.flatMap(({ lane, runs, contention }) => [
    lane,
    ...runs.map(({ size, ms }) => {
      const mean = meanOf(ms);
      const perSecond = ((1_000 * size) / mean).toFixed(1);
      return `  batch of ${size}: ${mean.toFixed(1)} ms, ${perSecond} images per second`;
    }),
    `  beside so many other workers  ${contention.map((factor, count) => `${count}: x ${factor.toFixed(2)}`).join(", ")}`,
  ]);

const options = {
  lanes: { type: "string", default: defaultModels.lane },
  workers: { type: "string", default: `${availableParallelism()}` },
  "batch-max": { type: "string", default: "8" },
  rounds: { type: "string", default: "20" },
  seconds: { type: "string", default: "600" },
  images: { type: "string", default: samplesFolder },
  "models-dir": { type: "string", default: modelsFolder },
  out: { type: "string" },
  engine: { type: "string" },
} as const;
