import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Engine } from "@faceline/inference/engine/engine";
import type { EnginePicture } from "@faceline/inference/engine/work";
import { type RunSample, withoutWaits } from "./lane-profile.ts";
import { usefulSizeOf } from "./useful-size.ts";

/**
 * Measures the runs of a lane: every batch size, beside every number of other workers that run the same
 * size. The order is another one in each round, so that a machine that warms up or slows down changes all
 * alike. Where the useful size is undecided after `rounds`, further rounds of runs alone follow, as many as
 * decide it, and at most `roundsMax` rounds in all. Returns the samples without waits for a core.
 */
export async function sampleRuns(plan: SamplePlan): Promise<RunSample[]> {
  const { engines, sizes, rounds, roundsMax, progress } = plan;
  const samples: RunSample[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const isMore = round >= rounds;
    if (isMore && (round - rounds) % roundsPerLook === 0 && isDecided(withoutWaits(samples))) break;
    const workersMax = isMore ? 1 : engines.length;
    const cases = sizes.flatMap((size) =>
      Array.from({ length: workersMax }, (_, index) => ({ size, workers: index + 1 })),
    );
    for (const [index, { size, workers }] of shuffled(cases, plan.random).entries()) {
      const of = isMore ? `at most ${roundsMax}, to decide the useful size` : `${rounds}`;
      progress(`runs: round ${round + 1} of ${of}, ${index + 1} of ${cases.length}`);
      // Another engine first in each round: of two that are alike, one may have the slower memory.
      const turn = engines.map((_, i) => engines[(round + i) % engines.length]!);
      const runs = turn.slice(0, workers).map((engine) => runOnce(engine, plan, size));
      const cpuBefore = process.cpuUsage();
      const times = await Promise.all(runs);
      const { user, system } = process.cpuUsage(cpuBefore);
      const cpuMs = (user + system) / 1_000 / workers;
      for (const ms of times) samples.push({ round, size, besides: workers - 1, ms, cpuMs });
    }
  }
  return withoutWaits(samples);
}

const isDecided = (samples: readonly RunSample[]): boolean => usefulSizeOf(samples).undecided.length === 0;

async function runOnce(
  engine: Engine,
  { lane, pictures, random }: SamplePlan,
  size: number,
): Promise<number> {
  const batch = Array.from({ length: size }, () => pictures[Math.floor(random() * pictures.length)]!);
  const { usage } = await engine.run({ lane, pictures: batch });
  return usage.runMs;
}

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

/** Further rounds between two looks at whether they suffice. */
const roundsPerLook = 10;

type SamplePlan = {
  /** One for each worker of the machine. */
  engines: readonly Engine[];
  lane: LaneId;
  sizes: readonly number[];
  pictures: readonly EnginePicture[];
  rounds: number;
  roundsMax: number;
  /** From 0 to below 1. */
  random(): number;
  progress(line: string): void;
};
