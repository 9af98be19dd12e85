import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "../testing/seeds.ts";
import { InvariantChecker } from "./invariant-checker.ts";
import { callResult } from "./metrics.ts";
import { randomScenario } from "./random-scenarios.ts";
import { Simulation, startAt } from "./simulation.ts";

// What the scheduler promises to every caller, over lives of a pool that are drawn from seeds (`lives.ts`).
// More: SEEDS=2000 node --test capacity/promises.sim.test.ts. One again: SEED=417 node --test …

const forMs = 4_000;
const untilAllEnded = forMs + 12_000;

test("every task ends exactly once, and batches go only to workers that can take them, whatever goes wrong", () => {
  for (const seed of seedsOf(60)) {
    const overseer = new InvariantChecker(seed);
    const setting = randomScenario(seed, { faults: true, forMs });
    const { calls } = new Simulation({ ...setting, watch: overseer.watch }).run(untilAllEnded);
    for (const call of calls.values()) {
      for (const task of call.tasks)
        assert.equal(overseer.ends.get(task), 1, `seed ${seed}: ends of ${task}`);
      assert.notEqual(callResult(call).result, "unanswered", `seed ${seed}: ${call.tasks[0]}`);
    }
  }
});

test("where nothing goes wrong, each task gets one answer, and what is sent is in time if runs take what was predicted", () => {
  for (const seed of seedsOf(60)) {
    const simulation = new Simulation(randomScenario(seed, { faults: false, forMs })).run(untilAllEnded);
    for (const { tasks, answers } of simulation.calls.values()) {
      assert.equal(answers.length, tasks.length, `seed ${seed}: answers to ${tasks[0]}`);
    }
    // How long it takes to prepare is learned from the first batches.
    const settledAt = startAt + 1_000;
    const sent = new Set(simulation.batches.flatMap((batch) => batch.tasks.map((task) => task.id)));
    for (const { arrivedAt, deadlineAt, answers } of simulation.calls.values()) {
      if (arrivedAt < settledAt) continue;
      for (const { task, kind, at } of answers) {
        if (!sent.has(task)) continue;
        assert.equal(kind, "faces", `seed ${seed}: answer to ${task}`);
        assert.ok(at <= deadlineAt, `seed ${seed}: ${task} came late`);
      }
    }
  }
});

test("while one worker could do all alone one by one nobody is held, and never longer than one stagger", () => {
  for (const seed of seedsOf(60)) {
    const overseer = new InvariantChecker(seed);
    const setting = randomScenario(seed, { faults: false, forMs });
    const { alpha, beta } = setting.workers[0]!;
    const sizeMax = Math.max(...setting.workers.map(({ sizes }) => sizes.at(-1)!));
    const utilisationMax = setting.workers.length === 1 ? 1 : 0.85 * setting.workers.length;
    const rates = [200, 2_000].map((overMs) => new Rate(overMs));
    new Simulation({
      ...setting,
      watch(event, moves, now) {
        const mayHold = overseer.waiting.size > 0;
        overseer.watch(event, moves, now);
        if (event.kind !== "arrive" || moves.some((move) => move.kind === "answer")) return;
        for (const rate of rates) rate.add(event.call.tasks.length, now);
        const load = Math.max(...rates.map((rate) => rate.perMs)) * (alpha + beta);
        if (mayHold || load > 0.99 * utilisationMax) return;
        assert.ok(!overseer.idle(now) || overseer.waiting.size === 0, `seed ${seed}: held at ${now}`);
      },
    }).run(untilAllEnded);
    const staggerMs = (alpha + beta * sizeMax) / setting.workers.length;
    assert.ok(overseer.longestHoldMs <= staggerMs + 1, `seed ${seed}: held for ${overseer.longestHoldMs} ms`);
  }
});

/** Exponentially weighted arrivals, as DECISIONS 7 has them. */
class Rate {
  perMs = 0;
  readonly #overMs: number;
  #at = 0;

  constructor(overMs: number) {
    this.#overMs = overMs;
  }

  add(count: number, now: number): void {
    this.perMs = this.perMs * Math.exp((this.#at - now) / this.#overMs) + count / this.#overMs;
    this.#at = now;
  }
}
