import assert from "node:assert/strict";
import test from "node:test";
import { buildOf } from "@faceline/batcher/testing/fixtures";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { poisson } from "./arrivals.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import type { Call } from "./simulated-clients.ts";
import { Simulation } from "./simulation.ts";

// Workers of two builds in one pool, as with int8 on some CPUs, or in the middle of a rollout. Workers die
// and the batcher loses its partition, all at random. Replay one seed with SEED=417.

const forMs = 4_000;

test("no call has answers of two builds, and both builds work", () => {
  for (const seed of seedsOf(20)) {
    const random = new Random(seed);
    const pool = workers(4, { sizes: [1, 2, 4], alpha: 2, beta: 10, coldStartMs: 500 }).map((model, i) => ({
      ...model,
      build: buildOf(`${i % 2}`),
      // A worker without int8 takes three times as long.
      beta: model.beta * (i % 2 === 0 ? 1 : 1 + 2 * random.next()),
      // One of each build lives on.
      deaths: i < 2 ? [{ atMs: 500 + 2_000 * random.next() }, { atMs: 3_000 }] : [],
    }));
    const caller = { tenant: "a", tasks: 1 + random.below(4), timeBudgetMs: 2_000 };
    const perSecond = (0.8 * capacityOf(pool)) / caller.tasks;
    const arrivals = poisson(random.branch(), perSecond, forMs, caller);
    const partitionLosses = [{ atMs: 1_500 * random.next(), forMs: 300 }];
    const simulation = new Simulation({ seed, workers: pool, hops, arrivals, partitionLosses });
    simulation.run(forMs + 3_000);

    const calls = [...simulation.calls.values()];
    assert.deepEqual(calls.filter((call) => digestsOf(call).size > 1).length, 0, `seed ${seed}: mixed`);
    const served = calls.filter(({ tasks, answers }) => {
      return tasks.every((task) => answers.find((answer) => answer.task === task)?.kind === "faces");
    });
    assert.ok(served.length > 0.8 * calls.length, `seed ${seed}: ${served.length} of ${calls.length} served`);
    const digests = new Set(served.flatMap((call) => [...digestsOf(call)]));
    assert.equal(digests.size, 2, `seed ${seed}: one build did nothing`);
  }
});

/** Returns the builds of the answers that the client gets: the first to each task. */
function digestsOf({ tasks, answers }: Call): Set<string> {
  const firsts = tasks.map((task) => answers.find((answer) => answer.task === task));
  return new Set(firsts.flatMap((answer) => (answer?.kind === "faces" ? answer.build!.digest : [])));
}
