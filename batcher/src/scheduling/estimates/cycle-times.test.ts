import assert from "node:assert/strict";
import test from "node:test";
import { cycleMs, Throughputs } from "./cycle-times.ts";
import { HopTimes } from "./hop-times.ts";
import { TimeModel } from "./time-model.ts";

const hops = new HopTimes({ hopMs: 3, replyMs: 3 });
const newLane = () => ({
  sizes: [1, 2, 4],
  run: new TimeModel([
    { size: 1, ms: 22 },
    { size: 4, ms: 28 },
  ]),
  prepare: new TimeModel([{ size: 1, ms: 2 }]),
  usualCost: 1,
});

for (const [what, change] of Object.entries({
  "a run": (lane) => lane.run.learn(4, 29),
  "a preparation": (lane) => {
    for (let times = 0; times < 9; times++) lane.prepare.learn(4, 90);
  },
  "the usual cost": (lane) => void (lane.usualCost = 30),
  "the sizes": (lane) => void (lane.sizes = [1, 8]),
  "the run model of the first report": (lane) => void (lane.run = new TimeModel([{ size: 1, ms: 5 }])),
} satisfies Record<string, (lane: ReturnType<typeof newLane>) => void>)) {
  test(`throughputs are kept until ${what} changes, and are then those of now`, () => {
    const lane = newLane();
    const throughputs = new Throughputs();
    const before = throughputs.of(lane, hops);
    assert.equal(throughputs.of(lane, hops), before);
    change(lane);
    const expected = lane.sizes.map((size) => size / cycleMs(lane, hops, size));
    assert.notDeepEqual(expected, before);
    assert.deepEqual(throughputs.of(lane, hops), expected);
  });
}

test("throughputs follow the hops", () => {
  const slow = new HopTimes({ hopMs: 3, replyMs: 3 });
  const throughputs = new Throughputs();
  const [first] = throughputs.of(newLane(), slow);
  for (let times = 0; times < 99; times++) slow.fromWorker.learn(200);
  assert.ok(throughputs.of(newLane(), slow)[0]! < first!);
});
