import type { MemorySample } from "../observe/memory.ts";
import { mean, median } from "../report/statistics.ts";

/**
 * Whether memory grows with the number of pictures served, over a range of them. `growth` is the share by
 * which the median of the second half exceeds that of the first: medians, because garbage collection moves
 * memory up and down.
 *
 * The bound of 5 % is some 15 MiB of a worker. Over the thousands of pictures between the two halves that is
 * 4 KiB for each, less than the bytes of any of them and a thirtieth of its pixels: a buffer that is not
 * freed shows.
 */
export function memoryGrowth(samples: readonly MemorySample[], range: { from: number; to: number }): Growth {
  const middle = (range.from + range.to) / 2;
  const counted = samples.filter(({ served }) => served >= range.from && served <= range.to);
  const [before, after] = [
    counted.filter(({ served }) => served < middle),
    counted.filter(({ served }) => served >= middle),
  ].map((half) => (half.length === 0 ? Number.NaN : median(half.map(({ mib }) => mib))));
  const growth = after! / before! - 1;
  return { mibPerThousand: 1_000 * slopeOf(counted), growth, flat: growth <= growthMax };
}

export const growthMax = 0.05;

/** Slope of the least-squares line, in MiB a picture. */
function slopeOf(samples: readonly MemorySample[]): number {
  const servedMean = mean(samples.map(({ served }) => served));
  const mibMean = mean(samples.map(({ mib }) => mib));
  let covariance = 0;
  let variance = 0;
  for (const { served, mib } of samples) {
    covariance += (served - servedMean) * (mib - mibMean);
    variance += (served - servedMean) ** 2;
  }
  return covariance / variance;
}

type Growth = { mibPerThousand: number; growth: number; flat: boolean };
