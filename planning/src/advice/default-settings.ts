import { BatcherConfig } from "@faceline/batcher/config";
import { InferenceConfig } from "@faceline/inference/config";
import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import { type Profile, sizesOf } from "../profile/profile.ts";
import type { Evaluate, Tried } from "../search/search.ts";

/**
 * Returns what services run with where nobody has set anything, for a number of workers. A profile may lack
 * the default of BATCH_MAX: then it is the largest calibrated size below.
 */
export function defaultSettings(workers: number, profile: Profile): PoolSettings {
  const batchMaxDefault = InferenceConfig.shape.BATCH_MAX.parse(undefined);
  const sizes = sizesOf(profile);
  return {
    workers,
    batchMax: sizes.findLast((size) => size <= batchMaxDefault) ?? sizes[0]!,
    utilisationTarget: BatcherConfig.shape.UTILISATION_TARGET.parse(undefined),
  };
}

/**
 * Returns how many workers the default settings need to meet the target: at least as many as the best
 * settings. Undefined: more than `workersMax`.
 */
export async function fewestWithDefaults(
  profile: Profile,
  { workersMin, workersMax, evaluate }: DefaultsSearch,
): Promise<Tried | undefined> {
  for (let workers = workersMin; workers <= workersMax; workers++) {
    const settings = defaultSettings(workers, profile);
    for (const scope of ["windows", "all calls"] as const) {
      const prediction = await evaluate(settings, scope);
      if (prediction.missed.length > 0) break;
      if (scope === "all calls") return { settings, scope, prediction };
    }
  }
  return undefined;
}

type DefaultsSearch = { workersMin: number; workersMax: number; evaluate: Evaluate };

/** What callers would get without a plan. */
export type DefaultsComparison = {
  /** With as many workers as the plan has. */
  sameWorkers: { settings: PoolSettings; prediction: Prediction };
  /** The fewest workers that meet the target with the defaults; undefined: more than `workersMax`. */
  fewest: Tried | undefined;
  workersMax: number;
};
