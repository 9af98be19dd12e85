// Covers batcher/src/scheduling/state/worker-loads.ts.
import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "@faceline/batcher/scheduling/decide";
import type { Lane } from "@faceline/batcher/scheduling/state/lane";
import type { State } from "@faceline/batcher/scheduling/state/state";
import { WorkerLoads } from "@faceline/batcher/scheduling/state/worker-loads";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { randomScenario } from "./random-scenarios.ts";
import { type NewScheduler, startState } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

test("the cached loads of workers are those that the state has, after every decision and until the next", () => {
  for (const seed of seedsOf(20)) {
    new Simulation({ ...randomScenario(seed, { faults: true }), scheduler: comparing(seed) }).run(8_000);
  }
});

/** The scheduler of production. Each decision leaves loads that are compared before the next one. */
const comparing =
  (seed: number): NewScheduler =>
  (scenario) => {
    const state = startState(scenario);
    const decideAndCompare: ReturnType<NewScheduler>["decide"] = (event, now) => {
      for (const lane of state.lanes.values()) compare(state, lane, now, `seed ${seed}, at ${now}`);
      const moves = decide(state, event, now);
      for (const lane of state.lanes.values()) compare(state, lane, now, `seed ${seed}, at ${now}`);
      return moves;
    };
    return { decide: decideAndCompare };
  };

function compare(state: State, lane: Lane, now: number, when: string): void {
  const computed = new WorkerLoads();
  for (const worker of state.workers.values()) computed.setWorker(worker);
  for (const sent of state.sent.values()) computed.addBatch(sent);
  assert.deepEqual(state.loads.of(lane, now), computed.of(lane, now), when);
}
