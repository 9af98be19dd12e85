import type { LaneProfile, Profile } from "./profile.ts";
import type { ImageSize } from "../trace/trace.ts";
import { valueAt } from "./quantiles.ts";

/** Returns the run time of a batch at a share of its distribution, from 0 to 1, in ms. */
export function runMsAt({ lane, runs }: LaneProfile, size: number, share: number): number {
  const measured = runs.find((each) => each.size === size);
  if (measured === undefined) throw new RangeError(`batches of ${size} were not calibrated for ${lane}`);
  return valueAt(measured.ms, share);
}

/** Returns the CPU time of decoding an image at a share of its distribution, in ms. */
export function decodeMsAt({ preparation }: Profile, image: ImageSize, share: number): number {
  const { imageMs, megapixelMs, megabyteMs, factors } = preparation;
  const line = imageMs + (megapixelMs * image.pixels + megabyteMs * image.bytes) / 1_000_000;
  return line * valueAt(factors, share);
}

/**
 * Returns how many times as long jobs take while 1, 2, … of them run on the machine: the mean of the lanes.
 */
export function slowdownOf({ lanes }: Profile): number[] {
  const counts = Math.min(...lanes.map(({ contention }) => contention.length));
  return Array.from(
    { length: counts },
    (_, count) => lanes.reduce((sum, { contention }) => sum + contention[count]!, 0) / lanes.length,
  );
}

/** Returns the mean of a distribution that is given by its quantiles. */
export function meanOf(quantiles: readonly number[]): number {
  // The trapezoidal rule: the distribution is linear from one quantile to the next.
  const all = quantiles.reduce((sum, each) => sum + each, 0);
  return (all - (quantiles[0]! + quantiles.at(-1)!) / 2) / (quantiles.length - 1);
}
