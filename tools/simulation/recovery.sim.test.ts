import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { callIdOf } from "@faceline/contracts/wire/ids";
import { merge, poisson, spike } from "./arrivals.ts";
import { InvariantChecker } from "./invariant-checker.ts";
import { callResult, shareOf } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// How the pool recovers from a burst, a poison image, a death or a change of pace. Replay one seed with
// SEED=417.

test("two seconds after a burst every call is served again", () => {
  for (const seed of seedsOf(10)) {
    const random = new Random(seed);
    const pool = workers(1 + random.below(4), { prepare: { alpha: 1, beta: 0.1 } });
    const caller = { tenant: "team", tasks: 1, timeBudgetMs: 300 + 1_500 * random.next() };
    const usual = poisson(random.branch(), 0.6 * capacityOf(pool), 5_000, caller);
    const burst = spike(1_000, 32 * (5 + random.below(20)), caller);
    const simulation = new Simulation({ seed, workers: pool, hops, arrivals: merge(usual, burst) });
    const good = shareOf("good", simulation.run(7_000), startAt + 3_000);
    assert.ok(good === 1, `seed ${seed}: ${good} were served in time two seconds later`);
  }
});

for (const harm of ["failed", "killed"] as const) {
  test(`an image whose run ends ${harm} costs a few runs, and no neighbour`, () => {
    for (const seed of seedsOf(10)) {
      const random = new Random(seed);
      const pool = workers(2 + random.below(3), { alpha: 5, beta: 0.5 });
      const caller = { tenant: "team", tasks: 1, timeBudgetMs: 30_000 };
      const arrivals = poisson(random.branch(), random.next() * capacityOf(pool), 700, caller);
      const poison = `${random.below(arrivals.length)}/`;
      const isPoison = (id: string) => id.startsWith(poison);
      const simulation = new Simulation({
        seed,
        workers: pool,
        hops,
        arrivals,
        runOf: (tasks) => (tasks.some((task) => isPoison(task.id)) ? harm : "answered"),
      }).run(60_000);

      const runs = simulation.batches.filter((batch) => batch.tasks.some((task) => isPoison(task.id)));
      assert.ok(runs.length <= 2 + Math.ceil(Math.log2(32) / 2), `seed ${seed}: ${runs.length} runs`);
      for (const call of simulation.calls.values()) {
        const expected = isPoison(callIdOf(call.tasks[0]!)) ? "failed" : "good";
        assert.equal(callResult(call).kind, expected, `seed ${seed}: ${call.tasks[0]}`);
      }
    }
  });
}

test("an image whose preparation never ends costs a few workers for a while, and no neighbour", () => {
  for (const seed of seedsOf(10)) {
    const random = new Random(seed);
    const pool = workers(3 + random.below(3), { alpha: 5, beta: 0.5, prepare: { alpha: 2, beta: 1 } });
    const caller = { tenant: "team", tasks: 1, timeBudgetMs: 30_000 };
    // At once, so that batches are large and the image has neighbours.
    const arrivals = spike(0, 40, caller);
    const poison = `${random.below(arrivals.length)}/`;
    const isPoison = (id: string) => id.startsWith(poison);
    const checker = new InvariantChecker(seed);
    const simulation = new Simulation({
      seed,
      workers: pool,
      hops,
      arrivals,
      isPreparationEndless: (tasks) => tasks.some((task) => isPoison(task.id)),
      watch: checker.watch,
    }).run(60_000);

    for (const call of simulation.calls.values()) {
      const expected = isPoison(callIdOf(call.tasks[0]!)) ? "failed" : "good";
      assert.equal(callResult(call).kind, expected, `seed ${seed}: ${call.tasks[0]}`);
      assert.equal(checker.endCounts.get(call.tasks[0]!), 1, `seed ${seed}: ends of ${call.tasks[0]}`);
    }
  }
});

test("a pool that suddenly takes three times as long is late for a moment and then in time again", () => {
  for (const seed of seedsOf(10)) {
    const pool = workers(2, { slowdownAt: (now) => (now < startAt + 3_000 ? 1 : 3), noise: 0.02 });
    const caller = { tenant: "team", tasks: 1, timeBudgetMs: 1_000 };
    const arrivals = poisson(new Random(seed), 0.8 * capacityOf(pool), 8_000, caller);
    const simulation = new Simulation({ seed, workers: pool, hops, arrivals }).run(12_000);
    const late = shareOf("late", simulation, startAt + 5_000);
    assert.ok(late <= 0.001, `seed ${seed}: ${late} late`);
  }
});
