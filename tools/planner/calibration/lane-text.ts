import type { LaneProfile } from "@faceline/contracts/stored/profile";
import { meanInterval } from "../profile/quantiles.ts";
import type { RunSample } from "./lane-profile.ts";
import { throughputShares } from "./useful-size.ts";

/** Returns what was measured of a lane, as lines for a terminal. */
export function laneText(
  { lane, contention, usefulSize }: LaneProfile,
  samples: readonly RunSample[],
): string {
  const alone = Map.groupBy(
    samples.filter(({ besides }) => besides === 0),
    ({ size }) => size,
  );
  const percent = (share: number) => (100 * share).toFixed(1);
  const rows = throughputShares(samples).map(({ size, share, plusMinus }) => {
    const runs = alone.get(size)!.map(({ ms }) => ms);
    const { mean, plusMinus: msPlusMinus } = meanInterval(runs);
    return (
      `  batch of ${size}: ${mean.toFixed(1)} ± ${msPlusMinus.toFixed(1)} ms in ${runs.length} runs, ` +
      `${((1_000 * size) / mean).toFixed(1)} pictures a second, ` +
      `${percent(share)} ± ${percent(plusMinus)} % of the most`
    );
  });
  const beside = contention.map((factor, count) => `${count}: x ${factor.toFixed(2)}`).join(", ");
  return [
    lane,
    ...rows,
    `  beside so many other workers  ${beside}`,
    ...(usefulSize === null
      ? []
      : [`  useful size: ${usefulSize.size}${undecidedText(usefulSize.undecided)}`]),
  ].join("\n");
}

const undecidedText = (sizes: readonly number[]): string =>
  sizes.length === 0 ? "" : `; of ${sizes.join(", ")} the runs did not show whether it is enough`;
