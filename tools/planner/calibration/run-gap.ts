import type { Profile } from "@faceline/contracts/stored/profile";
import type { Prediction } from "../prediction/predict.ts";

/** Returns for how many ms a worker does not run between two runs that take `runMs` in the mean. */
export const runGapMs = (runMs: number, utilisation: number): number =>
  (runMs * Math.max(0, 1 - utilisation)) / utilisation;

/**
 * Returns the profile with the part of the time between runs that a simulation of full load does not have by
 * itself: there, too, workers wait for batches that come late. `predict` returns what a profile says of a
 * load that leaves workers no rest.
 */
export function withoutSimulatedGap(
  profile: Profile,
  predict: (profile: Profile) => Pick<Prediction, "utilisation" | "meanRunMs">,
): Profile {
  const { service } = profile;
  const { utilisation, meanRunMs } = predict({ ...profile, service: { ...service, turnAroundMs: 0 } });
  // Nearly all batches of such a load have the largest size.
  const runMs = Object.values(meanRunMs).at(-1);
  if (runMs === undefined || utilisation === 0) return profile;
  const turnAroundMs = Math.max(0, service.turnAroundMs - runGapMs(runMs, utilisation));
  return { ...profile, service: { ...service, turnAroundMs } };
}
