import type { LaneId } from "@faceline/contracts/wire/ids";
import { burstInstants, poissonInstants, stepInstants } from "@faceline/simulation/arrivals";
import { EventQueue } from "@faceline/simulation/event-queue";
import { Random } from "@faceline/simulation/random";
import { type ImageSize, type Trace, TraceBuilder } from "./trace.ts";

/**
 * Draws the calls of several tenants with the same rate each, independent of each other: `poisson`, random
 * bursts of `factor` times the quiet rate, a `diurnal` rate that swings by four fifths around its mean once
 * in the trace, or a `step` from half of the rate to one and a half in the middle of it.
 */
export function drawTraffic(plan: DrawnTraffic): Trace {
  const { seed, perSecond, tenants } = plan;
  const random = new Random(seed);
  const rate = perSecond / tenants;
  const streams = Array.from({ length: tenants }, () => columnOf(instantsOf(plan, rate, random)));
  const calls = streams.reduce((sum, each) => sum + each.length, 0);
  const builder = new TraceBuilder({ calls, images: calls * plan.images });
  const images = Array.from({ length: plan.images }, () => plan.imageSize);
  for (const { atMs, tenant } of merged(streams)) {
    const lane = plan.lanes[Math.floor(random.next() * plan.lanes.length)]!;
    builder.add({ atMs, tenant, lane, timeBudgetMs: plan.deadlineMs, images });
  }
  return builder.build();
}

/** Draws when a tenant calls. */
function instantsOf(
  { shape, seconds, factor }: DrawnTraffic,
  rate: number,
  random: Random,
): Iterable<number> {
  const forMs = 1_000 * seconds;
  switch (shape) {
    case "poisson":
      return poissonInstants(random, rate, forMs);
    case "bursts":
      return burstInstants(random, { perSecond: rate, factor, burstMs: 2_000, shareOfTime: 0.1 }, forMs);
    case "step":
      return stepInstants(random, { before: rate / 2, after: 1.5 * rate, stepMs: forMs / 2 }, forMs);
    case "diurnal":
      // Thinning: a call of the highest rate is kept with the share that the rate then is of it.
      return columnOf(poissonInstants(random, (1 + swing) * rate, forMs)).filter(
        (atMs) => (1 + swing) * random.next() < 1 - swing * Math.cos((2 * Math.PI * atMs) / forMs),
      );
  }
}

/** Collects instants. `Float64Array.from` would make an array of them first, which takes twice as much. */
function columnOf(instants: Iterable<number>): Float64Array {
  let column = new Float64Array(1_024);
  let length = 0;
  for (const atMs of instants) {
    if (length === column.length) {
      const longer = new Float64Array(2 * length);
      longer.set(column);
      column = longer;
    }
    column[length++] = atMs;
  }
  return column.subarray(0, length);
}

/** Joins the instants of tenants in the order of time. */
function* merged(streams: readonly Float64Array[]): Generator<{ atMs: number; tenant: number }> {
  // The next call of each tenant.
  const events = new EventQueue(0);
  let due = 0;
  const next = streams.map((instants, tenant) => ({
    instants: instants.values(),
    act: () => (due = tenant),
  }));
  const add = (tenant: number) => {
    const { instants, act } = next[tenant]!;
    const { value, done } = instants.next();
    if (!done) events.at(value, act);
  };
  for (const tenant of streams.keys()) add(tenant);
  while (events.runNext(Number.POSITIVE_INFINITY)) {
    yield { atMs: events.now, tenant: due };
    add(due);
  }
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
  /** Images of each call. */
  images: number;
  /** Size of each image. */
  imageSize: ImageSize;
  deadlineMs: number;
  /** How many times the quiet rate a burst has. */
  factor: number;
};
