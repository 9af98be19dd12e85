import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { type Arrival, merge, poisson } from "./arrivals.ts";
import { goodShare } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Four tenants that keep to their share, with calls of one, two or twenty images, and one that demands ten
// times its share. The four must be served as if they were alone. Replay one seed with SEED=417.

const forMs = 6_000;
const victims = ["a", "b", "c", "d"];

test("a tenant that floods the pool takes nothing from the others", () => {
  for (const seed of seedsOf(12)) {
    const random = new Random(seed);
    const accelerated = random.next() < 0.5;
    const times = accelerated ? { alpha: 20, beta: 2 } : { alpha: 4, beta: 40, sizes: [1, 2, 4] };
    const pool = workers(1 + random.below(3), { ...times, prepare: { alpha: 1, beta: 0.1 } });
    const share = capacityOf(pool) / (victims.length + 1);
    const timeBudgetMs = accelerated ? 1_000 : 8_000;
    const peaceful = victims.map((tenant): Arrival[] => {
      const tasks = random.pick([1, 1, 2, accelerated ? 20 : 4]);
      return poisson(random.branch(), (0.6 * share) / tasks, forMs, { tenant, tasks, timeBudgetMs });
    });
    const flood = poisson(random.branch(), 10 * share, forMs, { tenant: "flood", tasks: 1, timeBudgetMs });
    const simulate = (...streams: Arrival[][]) =>
      new Simulation({ seed, workers: pool, hops, arrivals: merge(...streams) }).run(forMs + timeBudgetMs);

    const alone = simulate(...peaceful);
    const flooded = simulate(...peaceful, flood);
    // By then the demand of each tenant is known.
    const settledAt = startAt + 3_000;
    // All of them together, and each alone. Three calls of twenty images at once are more than a share.
    for (const tenants of [victims, ...victims.map((victim) => [victim])]) {
      const [before, after] = [alone, flooded].map((each) => goodShare(each, tenants, settledAt));
      const calls = peaceful.flat().filter(({ tenant, atMs }) => tenants.includes(tenant) && atMs >= 3_000);
      const lossMax = Math.max(0.01, 3 / calls.length) + 1e-9;
      assert.ok(
        !(after! < before! - lossMax),
        `seed ${seed}: ${tenants.join()}: ${before} in time alone, ${after} in the flood`,
      );
    }
  }
});
