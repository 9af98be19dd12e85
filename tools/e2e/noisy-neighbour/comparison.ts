import type { Cpu } from "@faceline/bench/observe/processes";
import { median } from "@faceline/bench/statistics";
import type { NoiseCounts } from "./raw-calls.ts";
import type { Service } from "./victims.ts";

/**
 * Compares what the quiet teams got during the noise with what they got alone, before and after it together.
 */
export function compare(before: Service, during: Service, after: Service): Comparison {
  const alone = { calls: before.calls + after.calls, inTime: before.inTime + after.inTime };
  const teams = during.teams.map((team, index) => {
    const [first, second] = [before.teams[index]!, after.teams[index]!];
    const share = (first.inTime + second.inTime) / (first.calls + second.calls);
    return { calls: team.calls, expected: share * team.calls, inTime: team.inTime };
  });
  return {
    calls: during.calls,
    goodput: during.inTime / during.calls / (alone.inTime / alone.calls),
    // A share of 99 % of few calls is all of them; one call of a team is not a trend.
    lostByTeam: teams.map(({ calls, expected, inTime }) => (expected - inTime) / Math.max(1, 0.01 * calls)),
    p50: during.p50Ms / mean(before.p50Ms, after.p50Ms),
    p99: during.p99Ms / mean(before.p99Ms, after.p99Ms),
    aloneP99Ms: mean(before.p99Ms, after.p99Ms),
    partsMs: during.partsMs,
    ends: during.ends,
  };
}

/** Whether the quiet teams kept 99 % of their answers, each of them too, and at most twice their p99. */
export const isKept = ({ goodput, lostByTeam, p99 }: Comparison): boolean =>
  goodput >= 0.99 && Math.max(...lostByTeam) <= 1 && p99 <= 2;

/** The comparison in which each measure is the middle one of all. */
export function middleOf(comparisons: Comparison[]): Comparison {
  const middle = (of: (each: Comparison) => number) => median(comparisons.map(of));
  const [first] = comparisons;
  return {
    ...first!,
    goodput: middle(({ goodput }) => goodput),
    lostByTeam: first!.lostByTeam.map((_, team) => middle(({ lostByTeam }) => lostByTeam[team]!)),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
  };
}

export const tableHead = [
  "noise",
  "calls",
  "goodput",
  "p50",
  "p99",
  "p99 alone, ms",
  "queue, batch, run, rest ms",
  "ends of calls",
  "ends of noise",
  "CPU s",
];

/** A line of the table. Goodput, p50 and p99 are ratios to those alone. */
export function rowOf(name: string, comparison: Comparison, noise: NoiseCounts, cpu: Cpu): string[] {
  const { calls, goodput, p50, p99, aloneP99Ms, partsMs, ends } = comparison;
  return [
    name,
    `${calls}`,
    goodput.toFixed(3),
    p50.toFixed(2),
    p99.toFixed(2),
    aloneP99Ms.toFixed(0),
    [partsMs.queue, partsMs.batch, partsMs.run, partsMs.rest].map((ms) => ms.toFixed(0)).join(", "),
    countsText(ends),
    countsText(noise),
    Object.entries(cpu ?? {})
      .map(([process, seconds]) => `${process} ${seconds.toFixed(1)}`)
      .join(", "),
  ];
}

const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([end, count]) => `${count} × ${end}`)
    .join(", ") || "none";

const mean = (a: number, b: number): number => (a + b) / 2;

export type Comparison = {
  calls: number;
  /** Ratio of the shares of calls that were answered in time. */
  goodput: number;
  /** By team: lost answers, as a multiple of what it may lose. */
  lostByTeam: number[];
  /** Ratios to alone. */
  p50: number;
  p99: number;
  aloneP99Ms: number;
  /** Medians during the noise. */
  partsMs: Service["partsMs"];
  /** Calls of the quiet teams by the way they ended. */
  ends: Record<string, number>;
};
