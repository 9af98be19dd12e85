import { BatcherConfig } from "@faceline/batcher/config";
import { InferenceConfig } from "@faceline/inference/config";
import type { PoolSettings } from "../prediction/predict.ts";
import { type Profile, sizesOf } from "../profile/profile.ts";
import type { Evaluate, SearchResult, Tried } from "../search/search.ts";
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
 * Returns the result with the default settings as the winner, where these meet the target on all calls with
 * as many workers and their p99 is at most `tieFactor` times as long: an operator should change nothing for
 * less. Only where the defaults were searched too.
 */
export async function preferDefaults(
  result: SearchResult,
  { profile, evaluate, tieFactor }: { profile: Profile; evaluate: Evaluate; tieFactor: number },
): Promise<SearchResult> {
  const { winner, tried } = result;
  if (winner === undefined) return result;
  const { batchMax, utilisationTarget } = defaultSettings(1, profile);
  const settings = { ...winner.settings, batchMax, utilisationTarget };
  const isSame = (each: Tried) => nameOf(each.settings) === nameOf(settings);
  const isHopeful = tried.some((each) => isSame(each) && each.prediction.missed.length === 0);
  if (isSame(winner) || !isHopeful) return result;
  const defaults = tried.find((each) => isSame(each) && each.scope === "all requests") ?? {
    settings,
    scope: "all requests" as const,
    prediction: await evaluate(settings, "all requests"),
  };
  const { missed, p99Ms } = defaults.prediction;
  const isAsGood = missed.length === 0 && p99Ms <= tieFactor * winner.prediction.p99Ms;
  return {
    winner: isAsGood ? defaults : winner,
    tried: tried.includes(defaults) ? tried : [...tried, defaults],
  };
}
