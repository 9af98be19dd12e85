import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Engine } from "@faceline/inference/engine/engine";
import type { EngineImage } from "@faceline/inference/engine/work";
import type { RunSample } from "./lane-profile.ts";

/**
 * Measures the runs of a lane: every batch size, beside every number of other workers that run the same
 * size. The order is another one in each round, so that a machine that warms up or slows down changes all
 * alike. Ends after `rounds`, or after `forMs` once every size has a few samples.
 */
export async function sampleRuns(plan: SamplePlan): Promise<RunSample[]> {
  const { engines, sizes, rounds, forMs, progress } = plan;
  const samples: RunSample[] = [];
  const endAt = performance.now() + forMs;
  for (let round = 0; round < rounds; round++) {
    if (round >= roundsMin && performance.now() > endAt) break;
    const cases = sizes.flatMap((size) => engines.map((_, index) => ({ size, workers: index + 1 })));
    for (const [index, { size, workers }] of shuffled(cases, plan.random).entries()) {
      progress(`runs: round ${round + 1} of ${rounds}, ${index + 1} of ${cases.length}`);
      // Another engine first in each round: of two that are alike, one may have the slower memory.
      const turn = engines.map((_, i) => engines[(round + i) % engines.length]!);
      const runs = turn.slice(0, workers).map((engine) => runOnce(engine, plan, size));
      const cpuBefore = process.cpuUsage();
      const times = await Promise.all(runs);
      const { user, system } = process.cpuUsage(cpuBefore);
      const cpuMs = (user + system) / 1_000 / workers;
      for (const ms of times) samples.push({ size, besides: workers - 1, ms, cpuMs });
    }
  }
  return samples;
}

async function runOnce(engine: Engine, { lane, images, random }: SamplePlan, size: number): Promise<number> {
  const batch = Array.from({ length: size }, () => images[Math.floor(random() * images.length)]!);
  const { usage } = await engine.run({ lane, images: batch });
  return usage.runMs;
}

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

const roundsMin = 4;

type SamplePlan = {
  /** One for each worker of the machine. */
  engines: readonly Engine[];
  lane: LaneId;
  sizes: readonly number[];
  images: readonly EngineImage[];
  rounds: number;
  forMs: number;
  /** Returns a number from 0 to below 1. */
  random(): number;
  progress(line: string): void;
};
