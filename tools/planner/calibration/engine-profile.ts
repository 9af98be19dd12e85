import type { LaneProfile, Profile } from "@faceline/contracts/stored/profile";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { RunCost } from "@faceline/inference/engine/modelled";
import { engineSettings, openEngines } from "./calibrated-engines.ts";
import { type RunSample, runProfile } from "./lane-profile.ts";
import { sampleRuns } from "./lane-samples.ts";
import { atUsualPace } from "./machine-pace.ts";
import { decodeAll, noPreparation, preparationProfile, samplePreparation } from "./preparation-samples.ts";
import { usefulSizeOf } from "./useful-size.ts";

/** Measures decodes, and the runs of lanes in as many engines as the machine has workers. */
export async function measureEngine(plan: EnginePlan): Promise<MeasuredEngine> {
  const { modelled, lanes, workers, batchMax, modelsDir, rounds, progress } = plan;
  await using opened = await openEngines({ modelled, lanes, workers, batchMax, modelsDir, progress });
  const { engines, networks } = opened;
  const pictures = await decodeAll(plan.files);
  progress("preparation");
  const preparation =
    modelled === undefined
      ? preparationProfile(await samplePreparation(plan.files, preparationRounds))
      : noPreparation;
  const measured: MeasuredEngine = { engine: engineSettings, networks, preparation, lanes: [], samples: [] };
  for (const loaded of engines[0]!.lanes) {
    const samples = await sampleRuns({
      engines,
      lane: loaded.lane,
      sizes: loaded.sizes.map(({ size }) => size),
      pictures,
      rounds,
      roundsMax: roundsMaxFactor * rounds,
      random: Math.random,
      progress,
    });
    measured.lanes.push(laneProfile(loaded, samples));
    measured.samples.push(samples);
  }
  progress("");
  return measured;
}

function laneProfile(
  { lane, build, executionProvider, sizes }: LoadedLane,
  samples: readonly RunSample[],
): LaneProfile {
  const { runs, ...others } = runProfile(atUsualPace(samples));
  // The scheduler begins with what workers report of their warm-up, so a prediction does as well.
  const warmMsOf = new Map(sizes.map(({ size, runMs }) => [size, runMs]));
  return {
    lane,
    digest: build.digest,
    precision: build.precision,
    executionProvider,
    ...others,
    runs: runs.map((run) => ({ ...run, warmMs: warmMsOf.get(run.size) })),
    usefulSize: usefulSizeOf(samples),
  };
}

/** Of `rounds`, where the useful size is undecided for so long. */
export const roundsMaxFactor = 10;
const preparationRounds = 10;

type EnginePlan = {
  modelled: RunCost | undefined;
  lanes: readonly LaneId[];
  workers: number;
  batchMax: number;
  modelsDir: string;
  /** JPEGs. */
  files: readonly Buffer[];
  /** Samples of each size, beside each number of other workers. */
  rounds: number;
  progress(line: string): void;
};

type MeasuredEngine = Pick<Profile, "engine" | "networks" | "preparation" | "lanes"> & {
  /** In the order of `lanes`. */
  samples: RunSample[][];
};
