// Used by every simulation.
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Random } from "./random.ts";

/** One call on its way to the batcher. */
export type Arrival = {
  atMs: number;
  tenant: string;
  tasks: number;
  /** Cost of decoding each image, see decodingCost; 1 by default. */
  cost?: number;
  /** Cost of each image, instead of `cost`. */
  costs?: readonly number[];
  /** `lane` of scenario.ts by default. */
  lane?: LaneId;
  /** Time from its arrival to its deadline. */
  timeBudgetMs: number;
};

/** Calls by index, in the order of time; undefined after the last one. An array is one. */
export type Arrivals = { at(index: number): Arrival | undefined };

/** Who calls, with how many images, and with what time budget. */
type Caller = Omit<Arrival, "atMs">;

/** Independent calls (a Poisson process). */
export const poisson = (random: Random, perSecond: number, forMs: number, caller: Caller): Arrival[] =>
  callsOf(caller, poissonInstants(random, perSecond, forMs));

/** Instants of independent calls: a million of them fit in 8 MB. */
export const poissonInstants = (random: Random, perSecond: number, forMs: number): Iterable<number> =>
  modulated(random, () => ({ perSecond, untilMs: forMs }), forMs);

/** Poisson calls whose rate changes once. */
export const step = (random: Random, rates: Step, forMs: number, caller: Caller): Arrival[] =>
  callsOf(caller, stepInstants(random, rates, forMs));

export function stepInstants(
  random: Random,
  { before, after, stepMs }: Step,
  forMs: number,
): Iterable<number> {
  const at = (nowMs: number) =>
    nowMs < stepMs ? { perSecond: before, untilMs: stepMs } : { perSecond: after, untilMs: forMs };
  return modulated(random, at, forMs);
}

/** Poisson calls for `onMs`, then none for `offMs`, and so on. */
export function onOff(
  random: Random,
  { perSecond, onMs, offMs }: OnOff,
  forMs: number,
  caller: Caller,
): Arrival[] {
  const at = (nowMs: number) => {
    const from = nowMs - (nowMs % (onMs + offMs));
    return nowMs - from < onMs
      ? { perSecond, untilMs: from + onMs }
      : { perSecond: 0, untilMs: from + onMs + offMs };
  };
  return callsOf(caller, modulated(random, at, forMs));
}

/**
 * Quiet and burst phases of random length (a Markov-modulated Poisson process); `perSecond` is the mean of
 * both.
 */
export const bursts = (random: Random, settings: Bursts, forMs: number, caller: Caller): Arrival[] =>
  callsOf(caller, burstInstants(random, settings, forMs));

export function burstInstants(random: Random, settings: Bursts, forMs: number): Iterable<number> {
  const { perSecond, factor, burstMs, shareOfTime } = settings;
  const quiet = perSecond / (1 + (factor - 1) * shareOfTime);
  const quietMs = (burstMs * (1 - shareOfTime)) / shareOfTime;
  let bursting = true;
  let untilMs = 0;
  const at = (nowMs: number) => {
    while (untilMs <= nowMs) {
      bursting = !bursting;
      untilMs += random.exponential(bursting ? burstMs : quietMs);
    }
    return { perSecond: bursting ? factor * quiet : quiet, untilMs };
  };
  return modulated(random, at, forMs);
}

/** All calls at one instant. */
export const spike = (atMs: number, calls: number, caller: Caller): Arrival[] =>
  Array.from({ length: calls }, () => ({ atMs, ...caller }));

/** Joins streams in the order of time. */
export const merge = (...streams: Arrival[][]): Arrival[] =>
  streams.flat().toSorted((a, b) => a.atMs - b.atMs);

const callsOf = (caller: Caller, instants: Iterable<number>): Arrival[] =>
  Array.from(instants, (atMs) => ({ atMs, ...caller }));

/** Instants of Poisson calls of a rate that changes at known instants. */
function* modulated(random: Random, rateAt: (nowMs: number) => Rate, forMs: number): Generator<number> {
  for (let nowMs = 0; nowMs < forMs; ) {
    const { perSecond, untilMs } = rateAt(nowMs);
    const nextMs = perSecond === 0 ? Number.POSITIVE_INFINITY : nowMs + random.exponential(1_000 / perSecond);
    if (nextMs < untilMs) yield nextMs;
    nowMs = Math.min(nextMs, untilMs);
  }
}

type Rate = { perSecond: number; untilMs: number };
type Step = { before: number; after: number; stepMs: number };
type OnOff = { perSecond: number; onMs: number; offMs: number };
type Bursts = { perSecond: number; factor: number; burstMs: number; shareOfTime: number };
