// The life of a batch and of a worker: dispatch, expiry, cancel, recovery, adoption. The rules of waiting and
// refusal are in policy.test.ts.
import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import {
  answered,
  answersOf,
  batchesOf,
  call,
  newPool,
  passTime,
  report,
  taskIds,
} from "../../testing/fixtures.ts";
import { decide } from "./decide.ts";
import type { Move } from "./state.ts";

test("a task that finds a free worker is sent at once", () => {
  const pool = newPool();
  decide(pool, report("w1"), 1_000);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 1_000 }), 1_000));
  assert.deepEqual(batch && { ...batch, tasks: taskIds(batch) }, {
    id: "batcher-0000000000000000/1",
    lane: "Dlib/ssd",
    reason: "floor",
    attempt: 1,
    sentAt: 1_000,
    predictedRunMs: 12,
    tasks: ["a/nnnnnnnnnnnnnnnn/0"],
  });
});

test("the next batch is sent just in time to be decoded when the running one ends, and none behind it", () => {
  const pool = newPool();
  decide(pool, report("w1", { sentAt: -3 }), 0);
  const [first] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  decide(pool, report("w1", { sentAt: 3, running: { batch: first!, startedAt: 3, endsAt: 100 } }), 6);

  // 3 ms on the way and 20 ms to prepare: until 77 the batch can still grow.
  assert.deepEqual(decide(pool, call("b", 1, { now: 10 }), 10), [{ kind: "wake", at: 77 }]);
  const [second] = batchesOf(decide(pool, { kind: "timer" }, 77));
  assert.deepEqual(taskIds(second!), ["b/nnnnnnnnnnnnnnnn/0"]);
  assert.deepEqual(batchesOf(decide(pool, call("c", 1, { now: 78 }), 78)), []);
});

test("a batch is no larger than the useful size, and the earliest deadline goes first", () => {
  const pool = newPool();
  decide(
    pool,
    report("w1", {
      sizes: [
        { size: 1, runMs: 100 },
        { size: 2, runMs: 200 },
        { size: 4, runMs: 400 },
      ],
    }),
    0,
  );
  // Compute-bound: two together take as long as one by one, so no task waits for a neighbour.
  const moves = decide(pool, call("a", 3, { now: 0 }), 0);
  assert.deepEqual(batchesOf(moves).map(taskIds), [["a/nnnnnnnnnnnnnnnn/0"]]);

  const busy = batchesOf(moves)[0]!;
  decide(pool, call("urgent", 1, { now: 0, deadlineAt: 5_000 }), 0);
  const next = decide(pool, report("w1", { finished: [answered(busy)] }), 100);
  assert.deepEqual(batchesOf(next).map(taskIds), [["urgent/nnnnnnnnnnnnnnnn/0"]]);
});

test("a call that cannot meet its deadline is refused on arrival, as a whole, with its expected wait", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  decide(
    pool,
    report("w1", { running: { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 500 } }),
    0,
  );
  const ends = answersOf(decide(pool, call("a", 2, { now: 0, deadlineAt: 400 }), 0));
  assert.deepEqual(ends, [
    [
      "a/nnnnnnnnnnnnnnnn/0",
      { kind: "shed", reason: "deadline_infeasible", predictedMs: 517, retryAfterMs: 500 },
    ],
    [
      "a/nnnnnnnnnnnnnnnn/1",
      { kind: "shed", reason: "deadline_infeasible", predictedMs: 517, retryAfterMs: 500 },
    ],
  ]);
});

test("a call that exceeds the bound of its lane is refused as queue_too_long", () => {
  const pool = newPool({ laneWaitingMax: 3 });
  assert.deepEqual(answersOf(decide(pool, call("a", 3, { now: 0 }), 0)), []);
  const refused = answersOf(decide(pool, call("b", 1, { now: 0 }), 0));
  assert.deepEqual(
    refused.map(([, outcome]) => outcome.kind === "shed" && outcome.reason),
    ["queue_too_long"],
  );
});

test("in a full lane the newest calls of the longest queue give way to a tenant within its share, and to no other", () => {
  const pool = newPool({ laneWaitingMax: 12 });
  // No worker is in service, so that all of them wait.
  for (const name of ["f1", "f2", "f3"]) decide(pool, call(name, 4, { now: 0 }, "flood"), 0);
  const idsOf = (name: string, count: number) =>
    taskIds({ tasks: call(name, count, { now: 0 }).call.tasks.map((id) => ({ id })) } as Batch);
  const shed = (moves: Move[]) =>
    answersOf(moves).map(([id, outcome]) => [id, outcome.kind === "shed" && outcome.reason]);

  assert.deepEqual(
    shed(decide(pool, call("small", 5, { now: 0 }, "small"), 0)),
    [...idsOf("f3", 4), ...idsOf("f2", 4)].map((id) => [id, "queue_too_long"]),
  );
  decide(pool, call("f4", 3, { now: 0 }, "flood"), 0);
  for (const [name, tenant] of [
    ["f5", "flood"],
    ["more", "small"],
  ] as const) {
    assert.deepEqual(
      shed(decide(pool, call(name, 2, { now: 0 }, tenant), 0)),
      idsOf(name, 2).map((id) => [id, "queue_too_long"]),
    );
  }
});

test("in a full lane nobody gives way to a tenant that would have more than an equal share of it", () => {
  const pool = newPool({ laneWaitingMax: 12 });
  decide(pool, call("f1", 3, { now: 0 }, "flood"), 0);
  decide(pool, call("f2", 3, { now: 0 }, "flood"), 0);
  decide(pool, call("mid", 4, { now: 0 }, "mid"), 0);
  decide(pool, call("small", 2, { now: 0 }, "small"), 0);
  const refused = answersOf(decide(pool, call("more", 1, { now: 0 }, "mid"), 0));
  assert.deepEqual(
    refused.map(([id]) => id),
    ["more/nnnnnnnnnnnnnnnn/0"],
  );
});

test("a call that has begun gives way to no other", () => {
  const pool = newPool({ laneWaitingMax: 12 });
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 12 }] }), 0);
  const [begun] = batchesOf(decide(pool, call("flood", 12, { now: 0 }, "flood"), 0));
  assert.deepEqual(taskIds(begun!), ["flood/nnnnnnnnnnnnnnnn/0"]);
  const refused = answersOf(decide(pool, call("small", 2, { now: 0 }, "small"), 0));
  assert.deepEqual(
    refused.map(([id]) => id),
    ["small/nnnnnnnnnnnnnnnn/0", "small/nnnnnnnnnnnnnnnn/1"],
  );
});

test("a task that waits past its deadline expires", () => {
  const pool = newPool();
  decide(pool, call("a", 1, { now: 0, deadlineAt: 20_000 }), 0);
  assert.deepEqual(answersOf(decide(pool, { kind: "timer" }, 19_999)), []);
  assert.deepEqual(answersOf(decide(pool, { kind: "timer" }, 20_002)), [
    ["a/nnnnnnnnnnnnnnnn/0", { kind: "expired", lateByMs: 2 }],
  ]);
});

test("a cancelled call is dropped where it waits and goes on where it was sent", () => {
  const pool = newPool();
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  decide(pool, call("a", 2, { now: 0 }), 0);
  const moves = decide(pool, { kind: "cancel", call: "a/nnnnnnnnnnnnnnnn" as never }, 1);
  assert.deepEqual(
    moves.filter((move) => move.kind === "ended"),
    [{ kind: "ended", tasks: ["a/nnnnnnnnnnnnnnnn/1"] }],
  );
});

test("the tasks of a worker that fell silent go to another in four parts, before all other tasks", () => {
  const pool = newPool();
  decide(pool, report("w1", { partition: 1 }), 0);
  const [batch] = batchesOf(decide(pool, call("a", 8, { now: 0 }), 0));
  assert.equal(batch?.tasks.length, 8);

  passTime(pool, 0, 900);
  decide(pool, report("w2", { partition: 2 }), 900);
  const moves = decide(pool, { kind: "timer" }, 1_000);
  assert.deepEqual(dispatches(moves), [
    { partition: 2, tasks: ["a/nnnnnnnnnnnnnnnn/0", "a/nnnnnnnnnnnnnnnn/1"], attempt: 2 },
  ]);
  assert.deepEqual(batchesOf(moves)[0]?.reason, "retry");
});

test("a batch that counts as lost may still answer, and its tasks are then not retried", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 2, { now: 0 }), 0));
  passTime(pool, 0, 1_000);
  assert.equal(pool.lanes.get("Dlib/ssd" as never)?.waitingCount, 2);
  const moves = decide(pool, report("w1", { finished: [answered(batch!)] }), 1_500);
  assert.deepEqual(moves, [
    { kind: "batch_ended", batch: batch!.id, end: { kind: "answered", finished: answered(batch!) } },
    { kind: "ended", tasks: ["a/nnnnnnnnnnnnnnnn/0", "a/nnnnnnnnnnnnnnnn/1"] },
  ]);
});

test("a task that was lost with its worker, alone, is tried once more and then fails", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  decide(pool, call("a", 1, { now: 0 }), 0);
  passTime(pool, 0, 1_000);
  const again = decide(pool, report("w2", { partition: 2 }), 1_000);
  assert.deepEqual(dispatches(again), [{ partition: 2, tasks: ["a/nnnnnnnnnnnnnnnn/0"], attempt: 2 }]);
  const moves = passTime(pool, 1_000, 2_000);
  assert.deepEqual(answersOf(moves), [
    ["a/nnnnnnnnnnnnnnnn/0", { kind: "failed", reason: "attempts_exhausted" }],
  ]);
});

test("a batch that no worker received is sent again as it was, with the same attempt, until its deadline", () => {
  const pool = newPool();
  const attempts: number[] = [];
  decide(pool, report("w1"), 0);
  for (const move of decide(pool, call("a", 1, { now: 0, deadlineAt: 20_000 }), 0)) {
    if (move.kind === "dispatch") attempts.push(move.batch.attempt);
  }
  // The worker is well and reports, but Kafka stalls: the batch never reaches it.
  for (let now = 250; now < 10_000; now += 250) {
    attempts.push(
      ...batchesOf(decide(pool, report("w1", { sentAt: now }), now)).map((batch) => batch.attempt),
    );
  }
  assert.deepEqual(attempts, [1, 1, 1, 1]);
  assert.deepEqual(answersOf(passTime(pool, 9_750, 20_100)), [
    ["a/nnnnnnnnnnnnnnnn/0", { kind: "expired", lateByMs: 50 }],
  ]);
});

test("after a stall of the batcher itself no worker counts as silent", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  decide(pool, call("a", 1, { now: 0 }), 0);
  const moves = [...decide(pool, { kind: "timer" }, 1_500), ...passTime(pool, 1_500, 2_000)];
  assert.deepEqual([dispatches(moves), pool.sent.values().next().value?.phase.kind], [[], "travelling"]);
});

test("a task whose run fails alone has failed; a batch whose run fails is cut into parts first", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [both] = batchesOf(decide(pool, call("a", 2, { now: 0 }), 0));
  const parts = decide(pool, report("w1", { finished: [{ ...answered(both!), end: "failed" }] }), 10);
  // The second part follows when a report says that the first one runs.
  assert.deepEqual(batchesOf(parts).map(taskIds), [["a/nnnnnnnnnnnnnnnn/0"]]);

  const [alone] = batchesOf(parts);
  const moves = decide(pool, report("w1", { finished: [{ ...answered(alone!), end: "failed" }] }), 20);
  assert.deepEqual(answersOf(moves), [["a/nnnnnnnnnnnnnnnn/0", { kind: "failed", reason: "run_failed" }]]);
});

test("a task that another batcher sent is not sent again while its worker holds it", () => {
  const pool = newPool();
  const adopted = {
    batch: "batcher-ffffffffffffffff/3",
    startedAt: 0,
    endsAt: 50,
    tasks: ["a/nnnnnnnnnnnnnnnn/0"],
  };
  decide(pool, report("w1", { running: adopted }), 0);
  assert.deepEqual(decide(pool, call("a", 1, { now: 0 }), 1), []);
  const ended = decide(pool, report("w1", { finished: [answered({ id: adopted.batch })] }), 50);
  assert.deepEqual(
    ended.filter(({ kind }) => kind !== "batch_ended"),
    [{ kind: "ended", tasks: ["a/nnnnnnnnnnnnnnnn/0"] }],
  );
});

test("a waiting task leaves the queue when a report shows that another batcher has sent it", () => {
  const pool = newPool();
  decide(pool, call("a", 2, { now: 0 }), 0);
  const tasks = ["a/nnnnnnnnnnnnnnnn/0"];
  const running = { batch: "batcher-ffffffffffffffff/3", startedAt: 0, endsAt: 50, tasks };
  const staged = batchesOf(decide(pool, report("w1", { running }), 49));
  assert.deepEqual(staged.map(taskIds), [["a/nnnnnnnnnnnnnnnn/1"]]);
});

test("a batch that Kafka did not take waits again, and costs no attempt", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const [again] = batchesOf(decide(pool, { kind: "undelivered", batch: batch!.id }, 5));
  assert.deepEqual(again && { tasks: taskIds(again), attempt: again.attempt }, {
    tasks: ["a/nnnnnnnnnnnnnnnn/0"],
    attempt: 1,
  });
});

test("a batcher that lost the partition forgets its tasks and keeps what the workers reported", () => {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  const arrival = call("a", 2, { now: 0 });
  decide(pool, arrival, 0);
  assert.deepEqual(decide(pool, { kind: "partition_lost" }, 1), []);
  assert.deepEqual([pool.holdsPartition, pool.open.size, pool.sent.size], [false, 0, 0]);
  assert.equal(pool.lanes.get(arrival.call.lane)?.meanMs(1), 500);

  // With the partition back, the call is read again and counts as new.
  decide(pool, { kind: "partition_assigned" }, 2);
  const [batch] = batchesOf(decide(pool, arrival, 2));
  assert.deepEqual(batch && taskIds(batch), ["a/nnnnnnnnnnnnnnnn/0"]);
});

test("a call that is read twice counts once, and an older report is ignored", () => {
  const pool = newPool();
  decide(pool, report("w1", { sequence: 7 }), 0);
  assert.equal(batchesOf(decide(pool, call("a", 1, { now: 0 }), 0)).length, 1);
  assert.equal(batchesOf(decide(pool, call("a", 1, { now: 0 }), 1)).length, 0);
  decide(pool, report("w1", { sequence: 6, draining: true }), 2);
  assert.equal(pool.workers.get("inference-w1")?.report.draining, false);
});

test("a batch that its worker no longer names is run again: the report of its end was lost", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  decide(pool, report("w1", { running: { batch: batch!, startedAt: 0, endsAt: 12 } }), 1);
  const again = decide(pool, report("w1"), 20);
  assert.deepEqual(dispatches(again), [{ partition: 0, tasks: ["a/nnnnnnnnnnnnnnnn/0"], attempt: 2 }]);
});

test("a partition has one holder, the worker that claimed it last: the one before gets nothing more", () => {
  const pool = newPool();
  decide(pool, report("w1", { partition: 3 }), 0);
  decide(pool, report("w2", { partition: 3 }), 10);
  const moves = ["a", "b", "c"].flatMap((name) => decide(pool, call(name, 1, { now: 10 }), 10));
  assert.deepEqual(
    [batchesOf(moves).length, [...pool.sent.values()].map((sent) => sent.worker)],
    [1, ["inference-w2"]],
  );
});

test("a worker that is stopping gets nothing new", () => {
  const pool = newPool();
  decide(pool, report("w1", { draining: true }), 0);
  assert.deepEqual(batchesOf(decide(pool, call("a", 1, { now: 0 }), 0)), []);
});

function dispatches(moves: Move[]) {
  return moves.flatMap((move) =>
    move.kind === "dispatch"
      ? [{ partition: move.partition, tasks: taskIds(move.batch), attempt: move.batch.attempt }]
      : [],
  );
}
