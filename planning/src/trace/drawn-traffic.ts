import { bursts, merge, poisson, step } from "@faceline/batcher/simulation/arrivals";
import { Random } from "@faceline/batcher/simulation/random";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { type PictureSize, type Trace, TraceBuilder } from "./trace.ts";

/**
 * Draws the calls of several tenants with the same rate each, independent of each other: `poisson`, random
 * bursts of `factor` times the quiet rate, a `diurnal` rate that swings by four fifths around its mean once
 * in the trace, or a `step` from half of the rate to one and a half in the middle of it.
 */
export function drawTraffic(plan: DrawnTraffic): Trace {
  const { seed, perSecond, seconds, tenants } = plan;
  const random = new Random(seed);
  const forMs = 1_000 * seconds;
  const streams = Array.from({ length: tenants }, (_, tenant) => {
    const caller = { tenant: `${tenant}`, tasks: plan.pictures, timeBudgetMs: plan.deadlineMs };
    const rate = perSecond / tenants;
    switch (plan.shape) {
      case "poisson":
        return poisson(random, rate, forMs, caller);
      case "bursts":
        return bursts(
          random,
          { perSecond: rate, factor: plan.factor, burstMs: 2_000, shareOfTime: 0.1 },
          forMs,
          caller,
        );
      case "step":
        return step(random, { before: rate / 2, after: 1.5 * rate, stepMs: forMs / 2 }, forMs, caller);
      case "diurnal":
        // Thinning: a call of the highest rate is kept with the share that the rate then is of it.
        return poisson(random, (1 + swing) * rate, forMs, caller).filter(
          ({ atMs }) => (1 + swing) * random.next() < 1 - swing * Math.cos((2 * Math.PI * atMs) / forMs),
        );
    }
  });
  const builder = new TraceBuilder();
  const pictures = Array.from({ length: plan.pictures }, () => plan.pictureSize);
  for (const { atMs, tenant, timeBudgetMs } of merge(...streams)) {
    const lane = plan.lanes[Math.floor(random.next() * plan.lanes.length)]!;
    builder.add({ atMs, tenant: Number(tenant), lane, timeBudgetMs, pictures });
  }
  return builder.build();
}

/** How far a diurnal rate goes up and down, as a share of its mean. */
const swing = 0.8;

export const trafficShapes = ["poisson", "bursts", "diurnal", "step"] as const;

export type DrawnTraffic = {
  shape: (typeof trafficShapes)[number];
  seed: number;
  /** Calls, of all tenants together. */
  perSecond: number;
  seconds: number;
  tenants: number;
  /** Each call is for one of them, all in equal parts. */
  lanes: readonly LaneId[];
  /** Of each call. */
  pictures: number;
  /** Of each picture. */
  pictureSize: PictureSize;
  deadlineMs: number;
  /** How many times the quiet rate a burst has. */
  factor: number;
};
