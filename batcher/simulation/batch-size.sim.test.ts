import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "../testing/seeds.ts";
import { poisson } from "./arrivals.ts";
import { metricsOf } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// The batch size when the first times of a worker are wrong. Replay one seed with SEED=417.

test("larger batches are tried where a backlog fills them, even if they once seemed to gain nothing", () => {
  for (const seed of seedsOf(5)) {
    const random = new Random(seed);
    const sizes = [1, 2, 4];
    const line = { alpha: 8, beta: 6 };
    // A disturbed warm-up: as if two pictures took as long together as one after the other.
    const warmMs = (size: number) => (line.alpha + line.beta) * size;
    const pool = workers(2, { ...line, sizes, warmMs, prepare: { alpha: 1, beta: 0.2 } });
    const forMs = 20_000;
    // Batches of one keep up with 0.57 of what batches of four do.
    const rate = 0.85 * capacityOf(pool);
    const arrivals = poisson(random, rate, forMs, { tenant: "team", tasks: 1, timeBudgetMs: 2_000 });
    const simulation = new Simulation({ seed, workers: pool, hops, arrivals }).run(forMs + 4_000);
    const { good } = metricsOf(simulation, startAt + forMs / 2);
    assert.ok(good >= 0.99, `seed ${seed}: ${good} of the calls of the second half were answered in time`);
  }
});
