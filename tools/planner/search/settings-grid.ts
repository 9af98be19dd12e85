import type { PoolSettings } from "../prediction/predict.ts";
import { type Profile, sizesOf } from "../profile/profile.ts";

/**
 * Returns the settings that are compared for a number of workers: every calibrated batch size as BATCH_MAX,
 * with each utilisation target.
 */
export const settingsOf = (
  workers: number,
  profile: Profile,
  utilisationTargets: readonly number[],
): PoolSettings[] =>
  sizesOf(profile).flatMap((batchMax) =>
    utilisationTargets.map((utilisationTarget) => ({ workers, batchMax, utilisationTarget })),
  );

/** A short name that is the same for the same settings. */
export const nameOf = ({ workers, batchMax, utilisationTarget }: PoolSettings): string =>
  `${workers} ${workers === 1 ? "worker" : "workers"}, BATCH_MAX ${batchMax}, UTILISATION_TARGET ${utilisationTarget}`;
