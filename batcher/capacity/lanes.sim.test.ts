import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "../testing/random.ts";
import { seedsOf } from "../testing/seeds.ts";
import { merge, poisson } from "./arrivals.ts";
import { type CallResult, callResult } from "./metrics.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { lane, Simulation, secondLane } from "./simulation.ts";

// Two lanes on the same workers, with more work together than these can do: run times, time budget and load
// of each are random. No answer is late, refusals come on arrival, the workers are used, and neither lane
// starves. Replay one seed with SEED=417.

const forMs = 3_000;

test("two lanes that overload the same workers share them, and no answer is late", () => {
  for (const seed of seedsOf(12)) {
    const random = new Random(seed);
    const between = (from: number, to: number) => from + (to - from) * random.next();
    const prepare = { alpha: 1, beta: 0.2 };
    const times = () => ({ alpha: between(8, 40), beta: between(1, 2), prepare });
    const [first, second] = [times(), times()];
    const sizes = [1, 2, 4, 8, 16, 32];
    const pool = workers(1 + random.below(2), {
      ...first,
      otherLanes: [{ lane: secondLane, sizes, ...second }],
    });
    const calls = [first, second].map((time, index) => {
      const capacity = capacityOf(pool.map((worker) => ({ ...worker, ...time })));
      const load = between(0.7, 1.5);
      const timeBudgetMs =
        between(3, 8) * Math.max(...[first, second].map(({ alpha, beta }) => alpha + 32 * beta));
      const caller = { tenant: `team-${index}`, tasks: 1, timeBudgetMs, lane: [lane, secondLane][index]! };
      return { load, arrivals: poisson(random.branch(), load * capacity, forMs, caller) };
    });
    const arrivals = merge(...calls.map((each) => each.arrivals));
    const simulation = new Simulation({ seed, workers: pool, hops, arrivals }).run(forMs + 2_000);

    const results = [...simulation.calls.values()].map((call) => ({ ...call, ...callResult(call) }));
    const share = (matches: (result: CallResult) => boolean) =>
      results.filter(matches).length / results.length;
    const late = share((result) => result.kind === "late");
    const refusedLate = share((result) => result.kind !== "good" && result.durationMs > 20);
    // The share of the workers' time that went into good answers of each lane.
    const [one, two] = calls.map(({ load }, index) => {
      const own = results.filter(({ tenant }) => tenant === `team-${index}`);
      return (load * own.filter((result) => result.kind === "good").length) / own.length;
    });
    const shares = `seed ${seed}: ${one} and ${two} of the workers' time`;
    assert.ok(late <= 0.001, `seed ${seed}: ${late} late`);
    assert.ok(refusedLate <= 0.02, `seed ${seed}: ${refusedLate} were refused only after a wait`);
    assert.ok(one! + two! >= 0.8, shares);
    assert.ok(Math.min(one!, two!) >= 0.05, shares);
  }
});
