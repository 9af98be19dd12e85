import { median } from "./figures.ts";

/**
 * Whether memory grows with the pictures that were served, over a stretch of them. Medians, because memory goes up and
 * down with garbage collection; of two halves, because a process that is warm may still be anywhere within that.
 *
 * 5 % of what a worker holds is some 15 MiB: of the thousands of pictures between the two halves that would be 4 KiB
 * each, less than any of them has in bytes, and a thirtieth of what it has in pixels. A buffer that is kept shows.
 */
export function flatnessOf(samples: readonly Resident[], stretch: { from: number; to: number }): Flatness {
  const middle = (stretch.from + stretch.to) / 2;
  const counted = samples.filter(({ served }) => served >= stretch.from && served <= stretch.to);
  const [before, after] = [
    counted.filter(({ served }) => served < middle),
    counted.filter(({ served }) => served >= middle),
  ].map((half) => (half.length === 0 ? Number.NaN : median(half.map(({ mib }) => mib))));
  const growth = after! / before! - 1;
  return { mibPerThousand: 1_000 * slopeOf(counted), growth, flat: growth <= growthMax };
}

export const growthMax = 0.05;

/** Least squares. */
function slopeOf(samples: readonly Resident[]): number {
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const servedMean = mean(samples.map(({ served }) => served));
  const mibMean = mean(samples.map(({ mib }) => mib));
  let together = 0;
  let square = 0;
  for (const { served, mib } of samples) {
    together += (served - servedMean) * (mib - mibMean);
    square += (served - servedMean) ** 2;
  }
  return together / square;
}

/** What a process kept in memory when so many pictures had been served. */
export type Resident = { served: number; mib: number };

/** `growth`: of the second half's median over the first half's, as a share. */
export type Flatness = { mibPerThousand: number; growth: number; flat: boolean };
