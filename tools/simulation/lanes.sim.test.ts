import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { type Arrival, merge, poisson } from "./arrivals.ts";
import { type CallResult, callResult, goodP99, goodShare } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { lane, secondLane, startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Two lanes on the same workers, with more work together than these can do: run times, time budget and load
// of each are random. No answer is late, refusals come on arrival, the workers are used, and neither lane
// starves. Replay one seed with SEED=417.

const forMs = 3_000;
const quiet = ["a", "b", "c", "d"];

test("two lanes that overload the same workers share them, and no answer is late", () => {
  for (const seed of seedsOf(8)) {
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

for (const [name, { teams, ...pool }] of Object.entries({
  "a flood in one lane, four quiet teams in another, one worker": {
    workerCount: 1,
    timeBudgetMs: 30_000,
    load: 3,
    teams: quiet,
  },
  "a flood in one lane, four quiet teams in another, two workers": {
    workerCount: 2,
    timeBudgetMs: 5_000,
    load: 3,
    teams: quiet,
  },
  // As a client that keeps calls in flight: it never demands more than twice the share of two teams.
  "a team that takes all that is left, one quiet team in another lane": {
    workerCount: 1,
    timeBudgetMs: 30_000,
    load: 0.95,
    teams: quiet.slice(0, 1),
  },
})) {
  test(`the quiet teams get their answers beside ${name}`, () => {
    for (const seed of seedsOf(2)) {
      const { alone, beside } = flood(seed, { ...pool, teams });
      const share = goodShare(beside, teams, settledAt);
      assert.ok(share >= 0.99, `seed ${seed}: ${share} in time`);
      const [before, after] = [alone, beside].map((each) => goodP99(each, teams, settledAt));
      // A worker has one batch running and one staged.
      assert.ok(
        after! <= Math.max(2 * before!, before! + 2 * batchMs),
        `seed ${seed}: p99 ${before!.toFixed(0)} ms alone, ${after!.toFixed(0)} beside it`,
      );
      // The small batches of the others take half of the workers' time.
      const [besideThem, byItself] = [beside, flood(seed, { ...pool, teams: [] }).beside].map(
        answeredOfFlood,
      );
      assert.ok(besideThem! >= 0.5 * byItself!, `seed ${seed}: the flood got ${besideThem} of ${byItself}`);
    }
  });
}

const model = { alpha: 40, beta: 20, sizes: [1, 2, 4], prepare: { alpha: 5, beta: 2 } };
const batchMs = 40 + 20 * 4;

/** `load`: what the noisy team demands, as a multiple of the capacity. */
type Flood = { workerCount: number; timeBudgetMs: number; load: number; teams: string[] };

/** Instant from which the demand of each tenant is known. */
const settledAt = startAt + 10_000;

/**
 * CPU workers with two lanes. Each team sends a tenth of what these can do in one lane, and the noisy one
 * sends in the other lane.
 */
function flood(seed: number, { workerCount, timeBudgetMs, load, teams }: Flood) {
  const random = new Random(seed);
  const pool = workers(workerCount, { ...model, noise: 0.2, otherLanes: [{ lane: secondLane, ...model }] });
  const perSecond = capacityOf(pool);
  const runMs = 30_000;
  const peaceful = teams.map((tenant) =>
    poisson(random.branch(), perSecond / 20, runMs, { tenant, tasks: 2, timeBudgetMs, lane: secondLane }),
  );
  const noisy = poisson(random.branch(), (load / 2) * perSecond, runMs, {
    tenant: "flood",
    tasks: 2,
    timeBudgetMs,
    lane,
  });
  const simulate = (...streams: Arrival[][]) =>
    new Simulation({ seed, workers: pool, hops, arrivals: merge(...streams) }).run(runMs + timeBudgetMs);
  return { alone: simulate(...peaceful), beside: simulate(...peaceful, noisy) };
}

const answeredOfFlood = ({ calls }: Simulation): number =>
  [...calls.values()].filter((call) => call.tenant === "flood" && callResult(call).kind === "good").length;
