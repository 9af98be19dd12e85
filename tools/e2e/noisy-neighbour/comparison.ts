import { median } from "@faceline/contracts/testing/quantile";
import type { Service } from "./victims.ts";

/**
 * Compares what the quiet teams got during the noise with what they got alone, before and after it together.
 */
export function compare(before: Service, during: Service, after: Service): Comparison {
  const alone = { calls: before.calls + after.calls, inTime: before.inTime + after.inTime };
  const lostByTeam = during.teams.map(({ calls, inTime }, index) => {
    const [first, second] = [before.teams[index]!, after.teams[index]!];
    const expected = (calls * (first.inTime + second.inTime)) / (first.calls + second.calls);
    // A share of 99% of few calls is all of them; one call of a team is not a trend.
    return (expected - inTime) / Math.max(1, 0.01 * calls);
  });
  return {
    goodput: during.inTime / during.calls / (alone.inTime / alone.calls),
    lostByTeam,
    p99: during.p99Ms / ((before.p99Ms + after.p99Ms) / 2),
  };
}

/** Whether the quiet teams kept 99% of their answers, each of them too, and at most twice their p99. */
export const isKept = ({ goodput, lostByTeam, p99 }: Comparison): boolean =>
  goodput >= 0.99 && Math.max(...lostByTeam) <= 1 && p99 <= 2;

/** The comparison in which each measure is the middle one of all. */
export function middleOf(comparisons: Comparison[]): Comparison {
  const middle = (of: (each: Comparison) => number) => median(comparisons.map(of));
  return {
    goodput: middle(({ goodput }) => goodput),
    lostByTeam: comparisons[0]!.lostByTeam.map((_, team) => middle(({ lostByTeam }) => lostByTeam[team]!)),
    p99: middle(({ p99 }) => p99),
  };
}

type Comparison = {
  /** Ratio of the shares of calls that were answered in time. */
  goodput: number;
  /** Lost answers of each team, as a multiple of what it may lose. */
  lostByTeam: number[];
  /** Ratio to alone. */
  p99: number;
};
