import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import type { LaneProfile, Profile } from "../profile/profile.ts";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { RunCost } from "@faceline/inference/engine/modelled";
import { laneModels, networkModels, requirePulled } from "@faceline/inference/engine/lane-models";
import { buildModel } from "@faceline/models/build";
import { readCatalogue } from "@faceline/models/catalogue";
import type { ImageSize } from "../trace/trace.ts";
import { openEngines } from "./calibrated-engines.ts";
import { type RunSample, runProfile } from "./lane-profile.ts";
import { sampleRuns } from "./lane-samples.ts";
import { decodeAll, noPreparation, preparationProfile, samplePreparation } from "./preparation-samples.ts";

/**
 * Measures decodes on this machine, and the runs of lanes in as many engines as it has workers. Writes the
 * profile to `out`. Models that are not built yet are built first.
 */
export async function calibrateMachine(plan: CalibrationPlan): Promise<Profile> {
  const { modelled, lanes, workers, batchMax, modelsDir, rounds, forMs, progress } = plan;
  progress("models");
  if (modelled === undefined) await buildLanes(modelsDir, lanes);
  await using opened = await openEngines({ modelled, lanes, workers, batchMax, modelsDir, progress });
  const { engines } = opened;
  const images = await decodeAll(plan.files);
  progress("preparation");
  const preparation =
    modelled === undefined
      ? preparationProfile(await samplePreparation(plan.files, plan.largest))
      : noPreparation;
  const measured: LaneProfile[] = [];
  for (const loaded of engines[0]!.lanes) {
    const samples = await sampleRuns({
      engines,
      lane: loaded.lane,
      sizes: loaded.sizes.map(({ size }) => size),
      images,
      rounds,
      forMs: forMs / lanes.length,
      random: Math.random,
      progress,
    });
    measured.push(laneProfile(loaded, samples, modelled === undefined && loaded.executionProvider === "cpu"));
  }
  progress("");
  const profile: Profile = {
    format: "faceline-profile",
    version: 6,
    measuredAt: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryMiB: Math.round(totalmem() / 2 ** 20),
    },
    lanes: measured,
    preparation,
  };
  mkdirSync(dirname(plan.out), { recursive: true });
  writeFileSync(`${plan.out}.part`, JSON.stringify(profile, null, 1));
  renameSync(`${plan.out}.part`, plan.out);
  return profile;
}

/**
 * Builds the models of lanes that are not built yet, into a folder. Throws one sentence if a lane does not
 * exist, or its models were not pulled.
 */
async function buildLanes(folder: string, lanes: readonly LaneId[]): Promise<void> {
  const models = laneModels(await readCatalogue(), lanes);
  requirePulled(folder, models);
  for (const model of models.flatMap(networkModels)) {
    for (const build of model.builds) await buildModel(folder, model, build);
  }
}

function laneProfile(
  { lane, build, executionProvider, sizes }: LoadedLane,
  samples: readonly RunSample[],
  isOnCores: boolean,
): LaneProfile {
  const { runs, ...others } = runProfile(samples, { isOnCores });
  // The scheduler begins with what workers report of their warm-up, so a prediction does as well.
  const warmMsOf = new Map(sizes.map(({ size, runMs }) => [size, runMs]));
  return {
    lane,
    digest: build.digest,
    precision: build.precision,
    executionProvider,
    ...others,
    runs: runs.map((run) => ({ ...run, warmMs: warmMsOf.get(run.size) })),
  };
}

type CalibrationPlan = {
  /** File of the profile. */
  out: string;
  modelled: RunCost | undefined;
  lanes: readonly LaneId[];
  workers: number;
  batchMax: number;
  modelsDir: string;
  /** JPEGs. */
  files: readonly Buffer[];
  /** An image of this size is decoded as well. */
  largest?: ImageSize;
  /** Samples of each size, beside each number of other workers. */
  rounds: number;
  /** Time after which no further round begins. */
  forMs: number;
  progress(line: string): void;
};
