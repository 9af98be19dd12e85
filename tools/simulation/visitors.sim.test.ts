import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import { type Arrival, type Arrivals, merge, poisson } from "./arrivals.ts";
import { callResult, goodP99, goodShare } from "./metrics.ts";
import { Random } from "./random.ts";
import { hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import type { Call } from "./simulated-clients.ts";
import { Simulation } from "./simulation.ts";

// Four teams, and visitors of the tester who would send ten times what the workers can do. Visitors are one
// tenant, with at most 16 calls in flight. Replay one seed with SEED=417.

const forMs = 20_000;
const teams = ["a", "b", "c", "d"];
/** Instant from which the demand of each tenant is known. */
const settledAt = startAt + 5_000;

const cpu = { alpha: 5, beta: 35, sizes: [1, 2, 4], prepare: { alpha: 2, beta: 8 } };
const gpu = { alpha: 20, beta: 1, prepare: { alpha: 2, beta: 5 } };
/** `perSecond`: what the workers can do. `batchMs`: the longest preparation and run of a batch. */
const pools = {
  "one CPU worker": { pool: workers(1, cpu), perSecond: 25, timeBudgetMs: 8_000, batchMs: 179 },
  "four CPU workers": { pool: workers(4, cpu), perSecond: 100, timeBudgetMs: 8_000, batchMs: 179 },
  "two GPU workers": { pool: workers(2, gpu), perSecond: 360, timeBudgetMs: 1_000, batchMs: 214 },
};
type Pool = keyof typeof pools;

for (const name of Object.keys(pools) as Pool[]) {
  test(`teams that keep to their share lose no answer, and of half of it their p99 doubles at most: ${name}`, () => {
    for (const seed of seedsOf(2)) {
      for (const load of [0.4, 0.7]) {
        const { alone, flooded } = play(name, load, seed);
        const share = goodShare(flooded, teams, settledAt);
        assert.ok(share === 1, `seed ${seed}, load ${load}: ${share} in time`);
        if (load > 0.4) continue;
        const [before, after] = [alone(), flooded].map((each) => goodP99(each, teams, settledAt));
        const p99s = `seed ${seed}: p99 ${before} ms alone, ${after} ms beside the visitors`;
        assert.ok(after! <= Math.max(2 * before!, before! + pools[name].batchMs), p99s);
      }
    }
  });
}

test("of teams that need more than all workers, visitors take one share of five", () => {
  for (const seed of seedsOf(2)) {
    const { alone, flooded } = play("four CPU workers", 2, seed);
    const [before, after] = [alone(), flooded].map((each) => goodShare(each, teams, settledAt));
    // Four fifths, less what smaller batches cost.
    assert.ok(after! >= 0.7 * before!, `seed ${seed}: ${before} in time alone, ${after} beside them`);
  }
});

/** `load`: what the four teams demand together, as a share of what the workers can do. */
function play(name: Pool, load: number, seed: number) {
  const { pool, perSecond, timeBudgetMs } = pools[name];
  const random = new Random(seed);
  const calls = teams.map((tenant) =>
    poisson(random.branch(), (load / 4) * perSecond, forMs, { tenant, tasks: 1, timeBudgetMs }),
  );
  // In one queue with those of the teams, their deadlines would come first.
  const pair = { tenant: visitorsTenant, tasks: 2, timeBudgetMs: 0.8 * timeBudgetMs };
  const flood = poisson(random.branch(), (10 * perSecond) / 2, forMs, pair);
  const simulate = (...streams: Arrival[][]) => {
    const arrivals = withinSlots(merge(...streams), () => simulation);
    const simulation: Simulation = new Simulation({ seed, workers: pool, hops, arrivals });
    return simulation.run(forMs + timeBudgetMs);
  };
  return { alone: () => simulate(...calls), flooded: simulate(...calls, flood) };
}

/** Leaves out the calls of visitors that find all of their shared slots taken: an ingress refuses them. */
function withinSlots(arrivals: Arrival[], simulation: () => Simulation): Arrivals {
  let refused = 0;
  const isVisitor = (index: number) => arrivals[index + refused]?.tenant === visitorsTenant;
  let open: Call[] = [];
  let seen = 0;
  const inFlight = () => {
    const added = [...simulation().calls.values()].slice(seen);
    seen += added.length;
    open = [...open, ...added.filter(({ tenant }) => tenant === visitorsTenant)];
    open = open.filter((call) => callResult(call).kind === "unanswered");
    return open.length;
  };
  return {
    at(index) {
      if (index > 0 && isVisitor(index) && inFlight() >= 16) while (isVisitor(index)) refused++;
      return arrivals[index + refused];
    },
  };
}
