import { BatcherConfig } from "@faceline/batcher/config";
import { InferenceConfig } from "@faceline/inference/config";
import type { PoolSettings } from "../prediction/predict.ts";
import { type Profile, sizesOf } from "../profile/profile.ts";
import type { Tried } from "../search/search.ts";
import { nameOf } from "../search/settings-grid.ts";

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

/** Returns the settings in an order in which those that change fewer defaults are first, and win a tie. */
export function fewestChangesFirst(settings: readonly PoolSettings[], profile: Profile): PoolSettings[] {
  const defaults = defaultSettings(1, profile);
  const changes = ({ batchMax, utilisationTarget }: PoolSettings) =>
    Number(batchMax !== defaults.batchMax) + Number(utilisationTarget !== defaults.utilisationTarget);
  return settings.toSorted((a, b) => changes(a) - changes(b));
}

/**
 * Returns the default settings in place of the winner, where these were tried with as many workers, meet the
 * target, and their p99 is at most `tieFactor` times as long: an operator should change nothing for less.
 */
export function preferDefaults(winner: Tried, { tried, profile, tieFactor }: Preference): Tried {
  const defaults = defaultSettings(winner.settings.workers, profile);
  const same = tried.find(({ settings }) => nameOf(settings) === nameOf(defaults));
  const isAsGood =
    same !== undefined &&
    same.prediction.missed.length === 0 &&
    same.prediction.p99Ms <= tieFactor * winner.prediction.p99Ms;
  return isAsGood ? same : winner;
}

type Preference = { tried: readonly Tried[]; profile: Profile; tieFactor: number };
