import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { poisson } from "./arrivals.ts";
import { shareOf } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// The batch size when the first times of a worker are wrong. Replay one seed with SEED=417.

const pools = [
  { what: "three sizes", sizes: [1, 2, 4], noise: 0.03, factor: 1 },
  // The old times of four sizes bend the line, however often size 2 is tried.
  { what: "six sizes and noise", sizes: [1, 2, 4, 8, 16, 32], noise: 0.2, factor: 3 },
];

for (const { what, sizes, noise, factor } of pools) {
  test(`a backlog tries larger batches that once seemed to gain nothing: ${what}`, () => {
    for (const seed of seedsOf(5)) assertKeepsUp(seed, { sizes, noise, factor });
  });
}

function assertKeepsUp(seed: number, { sizes, noise, factor }: DisturbedPool): void {
  const random = new Random(seed);
  const line = { alpha: 8, beta: 6 };
  // A disturbed warm-up: as if two images took as long together as one after the other.
  const warmMs = (size: number) => factor * (line.alpha + line.beta) * size;
  const pool = workers(2, { ...line, sizes, noise, warmMs, prepare: { alpha: 1, beta: 0.2 } });
  const forMs = 20_000;
  // Batches of one keep up with 0.57 of what batches of four do.
  const rate = 0.85 * capacityOf(pool);
  const arrivals = poisson(random, rate, forMs, { tenant: "team", tasks: 1, timeBudgetMs: 2_000 });
  const simulation = new Simulation({ seed, workers: pool, hops, arrivals }).run(forMs + 4_000);
  const good = shareOf("good", simulation, startAt + forMs / 2);
  assert.ok(good >= 0.99, `seed ${seed}: ${good} of the calls of the second half were answered in time`);
}

/** `factor`: how many times too long the warm-up took. */
type DisturbedPool = { sizes: number[]; noise: number; factor: number };
