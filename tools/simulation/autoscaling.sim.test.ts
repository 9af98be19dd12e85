// Covers scheduling/estimates/workers-needed.ts and capacity/pool-needs.ts: whether an autoscaler that
// follows the number of workers needed serves calls in time, and the number does not swing.
import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "@faceline/batcher/scheduling/decide";
import { newState } from "@faceline/batcher/scheduling/state/state";
import { type Arrival, bursts, poisson } from "./arrivals.ts";
import { goodShare } from "./metrics.ts";
import { Random } from "./random.ts";
import { hops, workers } from "./reference-pool.ts";
import { type Scenario, startSettings } from "./scenario.ts";
import { SimulatedAutoscaler } from "./simulated-autoscaler.ts";
import { Simulation } from "./simulation.ts";

/** 8 tasks a second at most, in batches of 8. */
const slow = { alpha: 200, beta: 100, sizes: [1, 2, 4, 8], prepare: { alpha: 5, beta: 5 } };
const forMs = 1_000_000;
const caller = { tenant: "team", tasks: 1, timeBudgetMs: 10_000 };

// `rightNumber`: the least that serve nearly all calls in time, if they are there from the beginning to the
// end.
const traffics: Record<string, Traffic> = {
  bursts: {
    arrivals: () =>
      bursts(new Random(1), { perSecond: 12, factor: 4, burstMs: 20_000, shareOfTime: 0.15 }, forMs, caller),
    rightNumber: 4,
    directionChangesMax: 2,
    // The first burst finds two workers.
    missingMax: { 5: 0.04, 30: 0.05, 120: 0.05 },
  },
  "a ramp from 4 calls a second to 32 and back": {
    arrivals: () => {
      const random = new Random(1);
      return poisson(random, 32, forMs, caller).filter(({ atMs }) => {
        const height = Math.max(0, 1 - Math.abs(atMs / 400_000 - 1));
        return random.next() < 0.125 + 0.875 * height;
      });
    },
    rightNumber: 4,
    directionChangesMax: 1,
    missingMax: { 5: 0.001, 30: 0.001, 120: 0.03 },
  },
  // Two of three die, and are back after the load: another number would not help.
  "lost workers": {
    arrivals: () => poisson(new Random(1), 14, forMs, caller),
    deathsAtMs: 500_000,
    rightNumber: 3,
    directionChangesMax: 0,
    missingMax: { 5: 0.001, 30: 0.001, 120: 0.001 },
  },
};

for (const [name, traffic] of Object.entries(traffics)) {
  for (const loadSeconds of [5, 30, 120] as const) {
    test(`${name}: workers that load for ${loadSeconds} s come in time, and do not come and go`, () => {
      const { rightNumber, directionChangesMax, missingMax, deathsAtMs } = traffic;
      const loadMs = 1_000 * loadSeconds;
      const scaled = autoscaled(traffic, loadMs);
      // Without losses it is nearly 1, as the test below asserts.
      const best = deathsAtMs === undefined ? 1 : fixedShare(traffic, rightNumber, loadMs);
      const missing = best - scaled.share;
      assert.ok(missing <= missingMax[loadSeconds], `${missing} fewer in time than with ${rightNumber}`);
      assert.ok(scaled.directionChanges <= directionChangesMax, `${scaled.directionChanges} changes`);
      assert.ok(scaled.meanWorkers <= 1.15 * rightNumber, `${scaled.meanWorkers} workers on average`);
    });
  }
}

test("the numbers to compare with are right: with one worker less, calls are refused", () => {
  for (const [name, traffic] of Object.entries(traffics)) {
    if (traffic.deathsAtMs !== undefined) continue;
    const [fewer, right] = [-1, 0].map((more) => fixedShare(traffic, traffic.rightNumber + more, 0));
    assert.ok(fewer! < 0.99 && right! > 0.999, `${name}: ${fewer} and ${right}`);
  }
});

/** Plays a load with an autoscaler that begins with two workers. */
function autoscaled(traffic: Traffic, loadMs: number) {
  const state = newState("batcher-0000000000000000", {
    ...startSettings,
    hopMs: hops.toWorkerMs,
    replyMs: hops.replyMs,
  });
  const simulation = new Simulation({
    ...scenarioOf(traffic, 2, loadMs),
    scheduler: () => ({ decide: (event, now) => decide(state, event, now) }),
  });
  const [model] = workers(1, { ...slow, coldStartMs: loadMs });
  const autoscaler = new SimulatedAutoscaler({
    simulation,
    loadMs,
    workersMin: 2,
    workersMax: 12,
    needed: () => state.workersNeeded.count,
    start: (partition) => simulation.addWorker({ ...model!, partition }),
  });
  simulation.run(forMs + caller.timeBudgetMs);
  autoscaler.count();
  const { workerMs, directionChanges } = autoscaler;
  return { share: goodShare(simulation, ["team"]), meanWorkers: workerMs / forMs, directionChanges };
}

/** Share of the calls that so many workers serve in time, from the beginning to the end. */
const fixedShare = (traffic: Traffic, count: number, loadMs: number): number =>
  goodShare(new Simulation(scenarioOf(traffic, count, loadMs)).run(forMs + caller.timeBudgetMs), ["team"]);

function scenarioOf({ arrivals, deathsAtMs }: Traffic, count: number, loadMs: number): Scenario {
  const models = workers(count, { ...slow, coldStartMs: loadMs });
  if (deathsAtMs !== undefined) for (const model of models.slice(0, 2)) model.deaths = [{ atMs: deathsAtMs }];
  return { seed: 1, arrivals: arrivals(), hops, workers: models };
}

type Traffic = {
  arrivals(): Arrival[];
  deathsAtMs?: number;
  rightNumber: number;
  directionChangesMax: number;
  /**
   * Share of calls that may be in time less than with the right number of workers, by the load in seconds.
   */
  missingMax: Record<5 | 30 | 120, number>;
};
