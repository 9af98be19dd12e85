import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import {
  answered,
  answersOf,
  batchesOf,
  buildOf,
  call,
  idlePool,
  newPool,
  passTime,
  report,
  taskIds,
} from "../../testing/fixtures.ts";
import { decide } from "./decide.ts";
import { bestEffortWaitingMax } from "./dispatch/best-effort-admission.ts";
import { laneStates } from "./pool-state.ts";
import type { Lane } from "./state/lane.ts";
import type { Move, State } from "./state/state.ts";

// Covers best-effort-admission.ts, best-effort-dispatch.ts, spare-workers.ts and waiting-tasks.ts: anonymous
// calls beside those of teams.

const anonymous = (
  name: string,
  count: number,
  now: number,
  fields: { deadlineAt?: number; cost?: number } = {},
) => call(name, count, { now, serviceClass: "best_effort", ...fields }, "anonymous");

test("a best-effort task gets an idle worker at once, and is never staged behind a running batch", () => {
  const pool = idlePool(1);
  const [first] = batchesOf(decide(pool, anonymous("a", 1, 0), 0));
  assert.deepEqual(callsOf([first!]), ["a"]);
  const running = { batch: first!, startedAt: 23, endsAt: 35 };
  assert.deepEqual(batchesOf(decide(pool, report("w0", { running }), 23)), []);
  assert.deepEqual(batchesOf(decide(pool, anonymous("b", 1, 24), 24)), []);
  // A team's task is: it waits for one best-effort run.
  const staged = batchesOf(decide(pool, call("team", 1, { now: 25 }), 25));
  assert.deepEqual(callsOf(staged), ["team"]);
});

test("while a task of a team waits, no best-effort task is sent, not even one that is due sooner", () => {
  const pool = idlePool(1);
  const running = { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 500 };
  decide(pool, report("w0", { running }), 0);
  decide(pool, anonymous("a", 1, 1, { deadlineAt: 5_000 }), 1);
  decide(pool, call("team", 1, { now: 2 }), 2);
  const [next, ...others] = batchesOf(decide(pool, report("w0"), 100));
  assert.deepEqual([callsOf([next!]), others], [["team"], []]);
  assert.deepEqual(callsOf(batchesOf(decide(pool, report("w0", { finished: [answered(next!)] }), 150))), [
    "a",
  ]);
});

test("while a team's task is held for neighbours beside an idle worker, no best-effort task is sent", () => {
  const pool = accelerator();
  const [lane] = pool.lanes.values();
  for (let now = 10; now < 1_000; now += 10) lane!.estimates.arrivals.add(1, 300, now);
  assert.deepEqual(batchesOf(decide(pool, call("team", 1, { now: 1_000, deadlineAt: 1_300 }), 1_000)), []);
  assert.deepEqual(batchesOf(decide(pool, anonymous("a", 1, 1_001), 1_001)), []);
  assert.deepEqual(callsOf(batchesOf(decide(pool, { kind: "timer" }, 1_060))), ["team"]);
});

test("a best-effort batch that a team may have to wait for takes half as long again as one task at most", () => {
  // Prepared and run, one takes 20 + 42 ms, two 30 + 44 and four 50 + 48.
  const [batch] = batchesOf(decide(accelerator(), anonymous("a", 32, 0), 0));
  assert.equal(batch!.tasks.length, 2);
});

test("while a team's task waits in another lane of the same worker, no best-effort task is sent", () => {
  const pool = newPool();
  const lanes = ["Dlib/ssd", "Dlib/tiny"];
  decide(pool, report("w0", { lanes }), 0);
  decide(pool, call("load", 8, { now: 0 }), 0);
  decide(pool, anonymous("a", 1, 1), 1);
  const tiny = call("team", 1, { now: 2 });
  decide(pool, { ...tiny, call: { ...tiny.call, lane: lanes[1] as typeof tiny.call.lane } }, 2);
  const [first] = [...pool.sent.keys()];
  const [next, ...others] = batchesOf(
    decide(pool, report("w0", { lanes, finished: [answered({ id: first! })] }), 60),
  );
  assert.deepEqual([callsOf([next!]), others], [["team"], []]);
});

test("one worker stays idle for the next call of a team, and beside teams half of the workers at most are used", () => {
  const sentTo = (workers: number, teams = 0) => {
    const pool = idlePool(workers);
    for (let index = 0; index < teams; index++) decide(pool, call(`team${index}`, 1, { now: 0 }), 0);
    return batchesOf(decide(pool, anonymous("a", 40, 0), 0)).length;
  };
  assert.deepEqual(
    [1, 2, 3, 4].map((workers) => sentTo(workers)),
    [1, 1, 2, 3],
  );
  assert.deepEqual(
    [1, 2, 3, 4].map((workers) => sentTo(workers, 1)),
    [0, 0, 1, 2],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((teams) => sentTo(4, teams)),
    [3, 2, 1, 0],
  );
});

test("best-effort tasks change nothing of what is learned, predicted and published of teams", () => {
  const states = [false, true].map((flooded) => {
    const pool = idlePool(2);
    decide(pool, call("team", 2, { now: 0 }), 0);
    if (flooded) for (let i = 0; i < 40; i++) decide(pool, anonymous(`a${i}`, 4, 1, { cost: 7 }), 1);
    const [lane] = pool.lanes.values();
    const { estimates, lightArrivedAt } = lane!;
    const [{ bestEffortWaitMs, ...published } = assert.fail()] = laneStates(pool, 2);
    assert.equal(bestEffortWaitMs === null, flooded);
    return {
      published,
      demand: estimates.demand,
      perMs: estimates.arrivals.perMs(2),
      lightArrivedAt,
      lightLoad: estimates.lightLoad(1),
      severalCall: pool.tenants.areSeveral(2),
    };
  });
  assert.deepEqual(states[0], states[1]);
});

test("while teams call often, more workers stay idle: two deviations of how many they occupy", () => {
  const sentBeside = (perSecond: number) => {
    const pool = idlePool(4);
    const [lane] = pool.lanes.values();
    for (let now = 0; now < 500; now += 1_000 / perSecond) {
      pool.tenants.add("team", now);
      lane!.estimates.arrivals.add(1, 30_000, now);
    }
    return batchesOf(decide(pool, anonymous("a", 40, 500), 500)).length;
  };
  // At 12 ms a task they occupy 0.12, 0.72 and 1.4 workers: one, two and three of the four stay idle.
  assert.deepEqual([10, 60, 120].map(sentBeside), [2, 2, 1]);
});

test("the runs of best-effort tasks teach nothing: crowds would make teams' predictions longer", () => {
  const pool = idlePool(1);
  const [lane] = pool.lanes.values();
  const learned = ({ estimates }: Lane) => [
    estimates.runHighMs(1),
    estimates.prepareHighMs(estimates.lightLoad(1)),
  ];
  const before = learned(lane!);
  let [batch] = batchesOf(decide(pool, anonymous("a", 10, 0), 0));
  for (let now = 4_000; batch !== undefined; now += 4_000) {
    const crowds = batch.tasks.map(({ id }) => ({ task: id, faces: 100 }));
    const finished = [{ ...answered(batch), runMs: 3_900, prepareMs: 90, crowds }];
    [batch] = batchesOf(decide(pool, report("w0", { sentAt: now - 3, finished }), now));
  }
  assert.deepEqual(learned(lane!), before);
});

test("a flood takes no place of a team: it has its own, and few", () => {
  const pool = idlePool(1, { laneWaitingMax: 100 });
  assert.equal(batchesOf(decide(pool, call("busy", 1, { now: 0 }), 0)).length, 1);
  const refused = Array.from({ length: 80 }, (_, i) =>
    answersOf(decide(pool, anonymous(`a${i}`, 1, 1), 1)),
  ).flat();
  assert.equal(refused.length, 80 - bestEffortWaitingMax);
  for (const [, outcome] of refused)
    assert.ok(outcome.kind === "shed" && outcome.reason === "queue_too_long");
  assert.deepEqual(answersOf(decide(pool, call("team", 51, { now: 2 }), 2)), []);
});

test("while teams leave no worker idle, a best-effort call is refused on arrival", () => {
  const pool = idlePool(1);
  const running = { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 9_000 };
  assert.deepEqual(reasonsOf(decide(pool, anonymous("before", 1, 0), 0)), []);
  for (let now = 100; now <= 20_000; now += 100) decide(pool, report("w0", { running, sentAt: now }), now);
  const { bestEffortWaitMs, expectedRunMs } = laneStates(pool, 20_000)[0]!;
  assert.ok(bestEffortWaitMs! + expectedRunMs > 30_000, `${bestEffortWaitMs} ms`);
  const moves = decide(pool, anonymous("after", 2, 20_000), 20_000);
  assert.deepEqual(reasonsOf(moves), ["deadline_infeasible", "deadline_infeasible"]);
  for (const [, outcome] of answersOf(moves)) {
    assert.equal("retryAfterMs" in outcome && outcome.retryAfterMs, 5_000);
  }
});

test("a best-effort task that gets no worker is shed when it would be late, and nothing of it stays", () => {
  const pool = idlePool(1);
  decide(pool, call("team", 8, { now: 0 }), 0);
  decide(pool, call("team2", 8, { now: 0 }), 0);
  decide(pool, anonymous("a", 2, 0, { deadlineAt: 800 }), 0);
  const ends: [string, number][] = [];
  for (let now = 20; now <= 900; now += 20) {
    const running = { batch: "batcher-0000000000000000/1", startedAt: 10, endsAt: 5_000 };
    for (const reason of reasonsOf(decide(pool, report("w0", { running, sentAt: now }), now)))
      ends.push([reason, now]);
  }
  assert.deepEqual(ends, [
    ["deadline_infeasible", 780],
    ["deadline_infeasible", 780],
  ]);
  assert.equal(pool.open.size, 16);
});

test("heavy best-effort images run only where no team has called lately", () => {
  const refused = (teamCallsAt: number) => {
    const pool = idlePool(2);
    const [sent] = batchesOf(decide(pool, call("team", 1, { now: teamCallsAt }), teamCallsAt));
    const now = 6_000;
    decide(pool, report("w0", { sentAt: now, finished: [answered(sent!)] }), now);
    decide(pool, report("w1", { partition: 1, sentAt: now }), now);
    const moves = decide(pool, anonymous("a", 1, now, { cost: 20 }), now);
    return [reasonsOf(moves), batchesOf(moves).length];
  };
  assert.deepEqual(refused(0), [[], 1]);
  assert.deepEqual(refused(2_000), [["queue_too_long"], 0]);
});

test("a best-effort batch that was lost with its worker is tried again behind the tasks of teams", () => {
  const pool = idlePool(1);
  const [lost] = batchesOf(decide(pool, anonymous("a", 1, 0), 0));
  decide(pool, report("w0", { running: { batch: lost!, startedAt: 5, endsAt: 17 } }), 10);
  passTime(pool, 10, 1_100);
  decide(pool, call("team", 1, { now: 1_100 }), 1_100);
  const [first, ...others] = batchesOf(decide(pool, report("w1", { sentAt: 1_110 }), 1_110));
  assert.deepEqual([callsOf([first!]), others], [["team"], []]);
  const [second] = batchesOf(
    decide(pool, report("w1", { sentAt: 1_150, finished: [answered(first!)] }), 1_150),
  );
  assert.deepEqual([callsOf([second!]), second!.attempt, second!.reason], [["a"], 2, "retry"]);
});

test("an anonymous caller who has left, and a build that is gone, take their best-effort tasks with them", () => {
  const pool = newPool();
  const running = { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 900 };
  decide(pool, report("w0", { build: buildOf("1"), sentAt: -2_000 }), -2_000);
  passTime(pool, -2_000, 0);
  decide(pool, report("w0", { build: buildOf("1"), running }), 0);
  decide(pool, anonymous("a", 2, 1), 1);
  const { call: id } = anonymous("b", 1, 1).call;
  decide(pool, anonymous("b", 1, 1), 1);
  assert.deepEqual(
    decide(pool, { kind: "cancel", call: id }, 2).find(({ kind }) => kind === "ended"),
    {
      kind: "ended",
      tasks: [`${id}/0`],
    },
  );
  // The worker of build 1 falls silent; another one has build 2.
  passTime(pool, 0, 900);
  decide(pool, report("w1", { partition: 1, build: buildOf("2"), sentAt: 900 }), 900);
  const [moved] = batchesOf(passTime(pool, 900, 1_200));
  assert.deepEqual([callsOf([moved!]), moved!.digest], [["a"], "2".repeat(16)]);
});

/** One idle worker whose batch of b tasks takes 40 + 2b ms. */
function accelerator(): State {
  const pool = newPool();
  const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));
  for (const now of [-2_000, 0]) decide(pool, report("w0", { sizes, sentAt: now }), now);
  return pool;
}

const callsOf = (batches: Batch[]): string[] => [
  ...new Set(batches.flatMap(taskIds).map((id) => id.split("/")[0]!)),
];

const reasonsOf = (moves: Move[]): string[] =>
  answersOf(moves).map(([, outcome]) => ("reason" in outcome ? outcome.reason : outcome.kind));
