import assert from "node:assert/strict";
import test from "node:test";
import { batchTasks } from "@faceline/contracts/wire/batch";
import { call } from "../../../testing/fixtures.ts";
import { HopTimes } from "./hop-times.ts";
import { LaneEstimates } from "./lane-estimates.ts";

const hops = new HopTimes({ hopMs: 3, replyMs: 3 });
const newEstimates = () => {
  const estimates = new LaneEstimates();
  const sizes = [1, 2, 4].map((size) => ({ size, runMs: 20 + 2 * size }));
  estimates.warmUp(sizes, 0);
  for (let times = 0; times < 9; times++) {
    for (const count of [1, 4, 600]) estimates.learnPreparation(estimates.lightLoad(count), 2 * count);
  }
  return estimates;
};

for (const [what, change] of Object.entries({
  "a run": (estimates) => estimates.learnRun(4, 29, 0),
  "a preparation": (estimates) => {
    for (let times = 0; times < 9; times++) estimates.learnPreparation(estimates.lightLoad(4), 90);
  },
  "the cost of light tasks": (estimates) => estimates.learnLightCost({ count: 1, cost: 600, isHeavy: false }),
  "the sizes": (estimates) => void (estimates.sizes = [1, 8]),
} satisfies Record<string, (estimates: LaneEstimates) => void>)) {
  test(`throughputs are cached until ${what} changes, and are then those of now`, () => {
    const estimates = newEstimates();
    const before = estimates.throughputs(hops);
    assert.equal(estimates.throughputs(hops), before);
    change(estimates);
    const expected = estimates.sizes.map((size) => size / estimates.cycleMs(hops, size));
    assert.notDeepEqual(expected, before);
    assert.deepEqual(estimates.throughputs(hops), expected);
  });
}

test("throughputs follow the first report and the hops", () => {
  const slow = new HopTimes({ hopMs: 3, replyMs: 3 });
  const estimates = new LaneEstimates();
  const [guessed] = estimates.throughputs(slow);
  estimates.warmUp([{ size: 1, runMs: 1 }], 0);
  const [measured] = estimates.throughputs(slow);
  assert.ok(measured! > guessed!);
  for (let times = 0; times < 99; times++) slow.fromWorker.learn(200);
  assert.ok(estimates.throughputs(slow)[0]! < measured!);
});

test("a task weighs as many light ones as a worker is occupied by it, and at least one", () => {
  const estimates = new LaneEstimates();
  const weightOf = (cost: number) =>
    estimates.weightOf(batchTasks(call("c", 1, { now: 0, cost }).call)[0]!, 40);
  assert.deepEqual([1, 20, 80].map(weightOf), [1, 5, 20]);
});
