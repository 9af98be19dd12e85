import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "@faceline/batcher/scheduling/decide";
import type { Event } from "@faceline/batcher/scheduling/state/state";
import { forgetAfterMs } from "@faceline/batcher/scheduling/state/workers";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { InvariantChecker } from "./invariant-checker.ts";
import { callResult } from "./metrics.ts";
import { randomScenario } from "./random-scenarios.ts";
import { startAt, startState } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Guarantees of the scheduler to every caller, in random scenarios (random-scenarios.ts). SEEDS=2000 plays
// more seeds, SEED=417 one of them.

const forMs = 4_000;
const untilAllEnded = forMs + 12_000;
/** A batch that was lost may still answer, so it is kept for a while. */
const untilForgotten = untilAllEnded + forgetAfterMs;

test("every task ends exactly once, and batches go only to workers that can take them, under all faults", () => {
  for (const seed of seedsOf(40)) {
    const checker = new InvariantChecker(seed);
    const scenario = randomScenario(seed, { faults: true, forMs });
    const state = startState(scenario);
    const scheduler = () => ({ decide: (event: Event, now: number) => decide(state, event, now) });
    const { calls } = new Simulation({ ...scenario, scheduler, watch: checker.watch }).run(untilForgotten);
    for (const call of calls.values()) {
      for (const task of call.tasks) {
        assert.equal(checker.endCounts.get(task), 1, `seed ${seed}: ends of ${task}`);
      }
      assert.notEqual(callResult(call).kind, "unanswered", `seed ${seed}: ${call.tasks[0]}`);
    }
    assert.deepEqual([state.open.size, state.sent.size], [0, 0], `seed ${seed}: tasks or batches are kept`);
  }
});

test("without faults each task gets one answer, and every batch that is sent is answered in time", () => {
  for (const seed of seedsOf(40)) {
    const simulation = new Simulation(randomScenario(seed, { faults: false, forMs })).run(untilAllEnded);
    for (const { tasks, answers } of simulation.calls.values()) {
      assert.equal(answers.length, tasks.length, `seed ${seed}: answers to ${tasks[0]}`);
    }
    // The time that preparation takes is learned from the first batches.
    const settledAt = startAt + 1_000;
    const sent = new Set(simulation.batches.flatMap((batch) => batch.tasks.map((task) => task.id)));
    for (const { arrivedAt, deadlineAt, answers } of simulation.calls.values()) {
      if (arrivedAt < settledAt) continue;
      for (const { task, kind, at } of answers) {
        if (!sent.has(task)) continue;
        assert.equal(kind, "faces", `seed ${seed}: answer to ${task}`);
        assert.ok(at <= deadlineAt, `seed ${seed}: the answer to ${task} came late`);
      }
    }
  }
});
