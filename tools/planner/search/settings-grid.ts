import type { Profile } from "@faceline/contracts/stored/profile";
import type { PoolSettings } from "../prediction/predict.ts";
import { sizesOf } from "../profile/profile.ts";

/**
 * Returns the settings that are compared for a number of workers: every calibrated batch size as BATCH_MAX,
 * with each utilisation target and deadline.
 */
export function settingsOf(workers: number, profile: Profile, choices: GridChoices): PoolSettings[] {
  const { utilisationTargets, deadlinesMs } = choices;
  return sizesOf(profile).flatMap((batchMax) =>
    utilisationTargets.flatMap((utilisationTarget) =>
      deadlinesMs.map((deadlineMs) => ({
        workers,
        batchMax,
        utilisationTarget,
        ...(deadlineMs !== undefined && { deadlineMs }),
      })),
    ),
  );
}

/** A short name that is the same for the same settings. */
export const nameOf = ({ workers, batchMax, utilisationTarget, deadlineMs }: PoolSettings): string =>
  `${workers} ${workers === 1 ? "worker" : "workers"}, BATCH_MAX ${batchMax}, UTILISATION_TARGET ${utilisationTarget}` +
  (deadlineMs === undefined ? "" : `, deadline ${deadlineMs} ms`);

type GridChoices = {
  utilisationTargets: readonly number[];
  /** undefined: as the trace has them. */
  deadlinesMs: readonly (number | undefined)[];
};
