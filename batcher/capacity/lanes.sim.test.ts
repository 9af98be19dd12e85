import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "../testing/random.ts";
import { seedsOf } from "../testing/seeds.ts";
import { merge, poisson } from "./arrivals.ts";
import { callResult } from "./metrics.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { lane, Simulation, secondLane } from "./simulation.ts";

// Two lanes on the same workers, with more work together than these can do: runs, patience and load of each are drawn.
// Nobody is late, refusals come on arrival, the workers' time is used, and neither lane starves. Replay one with SEED=417.

const forMs = 3_000;

test("two lanes that overload the same workers share them, and nobody is answered late", () => {
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

    const lives = [...simulation.calls.values()];
    const share = (of: (life: ReturnType<typeof callResult>) => boolean) =>
      lives.filter((call) => of(callResult(call))).length / lives.length;
    const late = share((life) => life.result === "late");
    const refusedLate = share((life) => life.result !== "good" && life.durationMs > 20);
    // Of the workers' time, what each lane made something of.
    const [one, two] = calls.map(({ load }, index) => {
      const own = lives.filter(({ tenant }) => tenant === `team-${index}`);
      return (load * own.filter((call) => callResult(call).result === "good").length) / own.length;
    });
    const shares = `seed ${seed}: ${one} and ${two} of the workers' time`;
    assert.ok(late <= 0.001, `seed ${seed}: ${late} late`);
    assert.ok(refusedLate <= 0.02, `seed ${seed}: ${refusedLate} were refused after they had waited`);
    assert.ok(one! + two! >= 0.8, shares);
    assert.ok(Math.min(one!, two!) >= 0.05, shares);
  }
});
