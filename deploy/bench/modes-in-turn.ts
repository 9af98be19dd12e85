// Used by the parts telemetry-sampling and recording; statistics.test.ts covers the intervals.

import type { Bench } from "./part.ts";
import { readResults, table } from "./report.ts";
import { inRandomOrder, mean, mulberry32, trimmedMeanInterval } from "./statistics.ts";

/**
 * Measures a number in several modes of the same processes, because two processes with the same work differ
 * by more than what is looked for. A round has each mode once, in random order and within half a minute, so
 * that what slows the machine down for longer meets all of them. With --add the values of the last run come
 * first.
 */
export async function measureInTurn<Mode extends string>(
  bench: Bench,
  { partName, plan, modes, openStart }: TurnsPlan<Mode>,
): Promise<Rounds<Mode>> {
  const starts: Rounds<Mode> = bench.add ? await readResults<Rounds<Mode>>(bench, partName, plan) : [];
  const random = mulberry32(plan.seed + starts.length);
  for (let start = 1; start <= plan.starts; start++) {
    await bench.steps.run(`start ${start} of ${plan.starts}`, async (note) => {
      await using opened = await openStart();
      for (const mode of modes) {
        await opened.measure(mode, { settleMs: 0, countedMs: plan.warmUpMs });
      }
      const rounds: Record<Mode, number>[] = [];
      for (let number = 0; number < plan.rounds; number++) {
        const round: Partial<Record<Mode, number>> = {};
        for (const mode of inRandomOrder(modes, random)) round[mode] = await opened.measure(mode, plan);
        rounds.push(round as Record<Mode, number>);
      }
      starts.push(rounds);
      note(modes.map((mode) => meanOf(starts.slice(-1), mode).toFixed(2)).join(" "));
    });
  }
  return starts;
}

/**
 * A table of how much more each mode takes than the mean of others within a round: trimmed means, without a
 * tenth at each end, with intervals over the rounds. All are measured in the same processes within seconds,
 * so rounds count and not starts.
 */
export function changesTable<Mode extends string>(
  starts: Rounds<Mode>,
  head: readonly [modes: string, before: string],
  comparisons: readonly { mode: Mode; against: readonly Mode[] }[],
): string {
  const random = mulberry32(starts.length);
  const rounds = starts.flat();
  const rows = comparisons.map(({ mode, against }) => {
    const logs = rounds.map((round) => Math.log(round[mode] / mean(against.map((other) => round[other]))));
    const interval = trimmedMeanInterval(logs, random);
    const changes = [interval.mean, interval.low, interval.high].map((each) => changeText(Math.exp(each)));
    return [mode, meanOf(starts, against[0]!).toFixed(3), meanOf(starts, mode).toFixed(3), ...changes];
  });
  return [
    table([...head, "here", "change", "from", "to"], rows),
    "Trimmed means of the changes within a round (without a tenth at each end), with 95 % intervals by " +
      `bootstrap over the ${rounds.length} rounds of ${starts.length} starts.`,
  ].join("\n\n");
}

const meanOf = <Mode extends string>(starts: Rounds<Mode>, mode: Mode): number =>
  mean(starts.flat().map((round) => round[mode]));

const changeText = (ratio: number): string => `${ratio < 1 ? "" : "+"}${(100 * (ratio - 1)).toFixed(1)} %`;

/** The rounds of each start. */
type Rounds<Mode extends string> = Record<Mode, number>[][];

/** `settleMs`: before what is counted, so that the mode before has no part in it. */
export type SliceTimes = { settleMs: number; countedMs: number };

type TurnsPlan<Mode extends string> = {
  partName: string;
  plan: SliceTimes & { starts: number; rounds: number; warmUpMs: number; seed: number };
  modes: readonly Mode[];
  /** Starts what is measured. */
  openStart(): Promise<AsyncDisposable & { measure(mode: Mode, times: SliceTimes): Promise<number> }>;
};
