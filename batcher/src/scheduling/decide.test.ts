// The life of a batch and of a worker: dispatch, expiry, cancel, recovery, adoption. The rules of waiting and
// refusal are in policy.test.ts.
import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
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
import type { Move } from "./state/state.ts";

test("a task that finds a free worker is sent at once", () => {
  const pool = newPool();
  decide(pool, report("w1"), 1_000);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 1_000 }), 1_000));
  assert.deepEqual(batch && { ...batch, tasks: taskIds(batch) }, {
    id: "batcher-0000000000000000/1",
    lane: "Dlib/ssd",
    digest: "0".repeat(16),
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

test("a team whose image showed twenty faces gives its next turns to the others", () => {
  const turns = (crowds: ReturnType<typeof answered>["crowds"]) => {
    const pool = newPool();
    decide(pool, report("w1", { sizes: [{ size: 1, runMs: 12 }] }), 0);
    const [sent] = batchesOf(decide(pool, call("crowd", 1, { now: 0 }, "a"), 0));
    decide(pool, call("mine", 1, { now: 1, deadlineAt: 20_000 }, "a"), 1);
    decide(pool, call("yours", 3, { now: 1 }, "b"), 1);
    const order: string[] = [];
    for (let batch = sent, now = 20; batch !== undefined; now += 20) {
      const finished = [{ ...answered(batch), crowds: now === 20 ? crowds : [] }];
      const moves = decide(
        pool,
        report("w1", { sizes: [{ size: 1, runMs: 12 }], finished, sentAt: now }),
        now,
      );
      [batch] = batchesOf(moves);
      if (batch !== undefined) order.push(...taskIds(batch).map((id) => id.split("/")[0]!));
    }
    return order;
  };
  assert.deepEqual(turns([]), ["yours", "mine", "yours", "yours"]);
  const crowd = { task: "crowd/nnnnnnnnnnnnnnnn/0" as TaskId, faces: 20 };
  assert.deepEqual(turns([crowd]), ["yours", "yours", "yours", "mine"]);
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
  assert.equal([...pool.lanes.values()][0]?.waitingCount, 2);
  const [end, ...moves] = decide(pool, report("w1", { finished: [answered(batch!)] }), 1_500);
  assert.ok(end?.kind === "batch_ended");
  assert.deepEqual([end.sent.id, end.end], [batch!.id, { kind: "answered", finished: answered(batch!) }]);
  assert.deepEqual(moves, [{ kind: "ended", tasks: ["a/nnnnnnnnnnnnnnnn/0", "a/nnnnnnnnnnnnnnnn/1"] }]);
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

test("while the batcher waits for a core, workers beside it are not silent, and their runs not too long", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0, deadlineAt: 60_000 }), 0));
  const moves: Move[] = [];
  // For 12 s both get a tenth of a core: a report comes every 2.5 s, and the run takes as much longer.
  for (let now = 100; now <= 12_000; now += 100) {
    moves.push(...decide(pool, { kind: "timer", withoutCoreMs: 90 }, now));
    const running = { batch: batch!, startedAt: 100, endsAt: 150 };
    if (now % 2_500 === 0) moves.push(...decide(pool, report("w1", { running }), now));
  }
  assert.deepEqual([dispatches(moves), pool.sent.get(batch!.id)?.phase.kind], [[], "held"]);
  // Then the batcher has its core again, and the worker none.
  const retried = passTime(pool, 12_000, 14_000);
  assert.equal(pool.sent.get(batch!.id)?.phase.kind, "lost");
  assert.deepEqual(dispatches(retried), []);
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

test("a batch of a lane that its worker has not loaded is ignored, and its tasks are sent when they are read", () => {
  const pool = newPool();
  const tasks = ["a/nnnnnnnnnnnnnnnn/0"];
  const running = { batch: "batcher-ffffffffffffffff/3", startedAt: 0, endsAt: 50, tasks };
  assert.deepEqual(decide(pool, report("w1", { lanes: ["Dlib/blazeface"], running }), 0), []);
  decide(pool, report("w2", { partition: 2 }), 1);
  const [sent] = batchesOf(decide(pool, call("a", 1, { now: 2 }), 2));
  assert.deepEqual(sent && taskIds(sent), tasks);
  assert.deepEqual(passTime(pool, 0, 500), []);
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

test("a batch that Kafka took without an acknowledgement, lost with its repetition, waits once", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [first] = batchesOf(decide(pool, call("a", 1, { now: 0, deadlineAt: 1_500 }), 0));
  const [again] = batchesOf(decide(pool, { kind: "undelivered", batch: first!.id }, 5));
  decide(pool, report("w1", { staged: [first!, again!] }), 10);
  assert.deepEqual(
    answersOf(passTime(pool, 10, 2_000)).map(([task, { kind }]) => [task, kind]),
    [["a/nnnnnnnnnnnnnnnn/0", "expired"]],
  );
});

test("a batcher that lost the partition forgets its tasks and keeps what the workers reported", () => {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  const arrival = call("a", 2, { now: 0 });
  decide(pool, arrival, 0);
  assert.deepEqual(decide(pool, { kind: "partition_lost" }, 1), []);
  assert.deepEqual([pool.holdsPartition, pool.open.size, pool.sent.size], [false, 0, 0]);
  assert.equal([...pool.lanes.values()][0]?.estimates.runMs(1), 500);

  // With the partition back, the call is read again and counts as new.
  decide(pool, { kind: "partition_assigned" }, 2);
  const [batch] = batchesOf(decide(pool, arrival, 2));
  assert.deepEqual(batch && taskIds(batch), ["a/nnnnnnnnnnnnnnnn/0"]);
});

test("a batcher whose session is over sends and answers nothing, whatever comes, until it is renewed", () => {
  const pool = newPool();
  decide(pool, { kind: "session", endsAt: 3_000 }, 0);
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 2_900);
  const [running] = batchesOf(decide(pool, call("a", 2, { now: 2_900, deadlineAt: 4_000 }), 2_900));
  const failed = { ...answered(running!), end: "failed" as const };
  const without = [
    ...decide(pool, call("b", 1, { now: 3_000 }), 3_000),
    ...decide(pool, call("late", 1, { now: 3_000, deadlineAt: 3_001 }), 3_001),
    ...decide(pool, { kind: "cancel", call: "b/nnnnnnnnnnnnnnnn" as never }, 3_002),
    ...decide(pool, report("w1"), 3_003),
    ...passTime(pool, 3_003, 5_900),
    ...decide(pool, report("w1", { finished: [failed] }), 5_950),
  ];
  assert.deepEqual(without, []);
  // One report of the worker, two arrivals and the cancel.
  assert.equal(pool.deferred.length, 4);

  const after = decide(pool, { kind: "session", endsAt: 9_000 }, 6_000);
  assert.deepEqual(
    answersOf(after).map(([task, { kind }]) => [task, kind]),
    [
      ["late/nnnnnnnnnnnnnnnn/0", "shed"],
      ["a/nnnnnnnnnnnnnnnn/0", "failed"],
      ["a/nnnnnnnnnnnnnnnn/1", "expired"],
    ],
  );
  assert.deepEqual([pool.open.size, pool.deferred.length], [0, 0]);
});

test("without a session, cancels of calls that do not wait here are not kept", () => {
  const pool = newPool();
  decide(pool, { kind: "session", endsAt: 0 }, 0);
  decide(pool, call("a", 1, { now: 0 }), 0);
  for (const name of ["a", "b", "c"]) {
    decide(pool, { kind: "cancel", call: `${name}/nnnnnnnnnnnnnnnn` as never }, 1);
  }
  assert.deepEqual(
    pool.deferred.map(({ kind }) => kind),
    ["arrive", "cancel"],
  );
});

test("calls that were read without a session are forgotten with the partition", () => {
  const pool = newPool();
  decide(pool, { kind: "session", endsAt: 0 }, 0);
  decide(pool, call("a", 1, { now: 0 }), 0);
  decide(pool, { kind: "partition_lost" }, 1);
  decide(pool, { kind: "session", endsAt: 3_000 }, 2);
  assert.deepEqual(batchesOf(decide(pool, report("w1"), 3)), []);
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

test("a batch that its worker does not get prepared is sent to another, and the worker gets nothing more", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  // The learned time of a preparation is 20 ms: it counts as hung after 5 seconds more.
  const staged = (now: number) => decide(pool, report("w1", { staged: [batch!], sentAt: now }), now);
  for (let now = 0; now <= 5_000; now += 250) assert.deepEqual(batchesOf(staged(now)), []);
  decide(pool, report("w2", { partition: 2 }), 5_000);
  const moves = staged(5_021);
  assert.deepEqual(dispatches(moves), [{ partition: 2, tasks: ["a/nnnnnnnnnnnnnnnn/0"], attempt: 2 }]);
  decide(pool, report("w2", { partition: 2, draining: true }), 5_100);
  assert.deepEqual(dispatches(decide(pool, call("b", 1, { now: 5_200 }), 5_200)), []);
  assert.deepEqual(dispatches(staged(5_300)), []);

  const runs = report("w1", { running: { batch: batch!, startedAt: 5_400, endsAt: 5_412 } });
  assert.deepEqual(dispatches(decide(pool, runs, 5_400)), [
    { partition: 0, tasks: ["b/nnnnnnnnnnnnnnnn/0"], attempt: 1 },
  ]);
});

test("a worker whose images arrive slowly is not hung while they arrive, and is when they no longer do", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const staged = (now: number, imageBytes: number) =>
    decide(pool, report("w1", { staged: [batch!], imageBytes, sentAt: now }), now);
  for (let now = 0; now <= 15_000; now += 250) assert.deepEqual(batchesOf(staged(now, now)), []);
  for (let now = 15_250; now <= 20_000; now += 250) assert.deepEqual(batchesOf(staged(now, 15_000)), []);
  decide(pool, report("w2", { partition: 2 }), 20_000);
  const moves = staged(20_021, 15_000);
  assert.deepEqual(dispatches(moves), [{ partition: 2, tasks: ["a/nnnnnnnnnnnnnnnn/0"], attempt: 2 }]);
});

test("a preparation begins to count when the run before it has ended, and not while the batcher stands still", () => {
  const pool = newPool();
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 9_000 }] }), 0);
  const [first] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const running = { batch: first!, startedAt: 0, endsAt: 9_000 };
  decide(pool, call("b", 1, { now: 10 }), 10);
  for (let now = 250; now < 9_000; now += 250) decide(pool, report("w1", { running, sentAt: now }), now);
  const [second] = batchesOf(decide(pool, { kind: "timer" }, 8_990));
  assert.deepEqual(taskIds(second!), ["b/nnnnnnnnnnnnnnnn/0"]);
  decide(pool, report("w1", { running, staged: [second!] }), 8_995);
  const ended = (now: number) =>
    decide(pool, report("w1", { staged: [second!], finished: [answered(first!)], sentAt: now }), now);
  for (let now = 9_000; now <= 13_500; now += 250) ended(now);
  // Nothing is decided for 2 s.
  for (let now = 15_500; now <= 15_900; now += 100) ended(now);
  assert.equal(pool.sent.get(second!.id)?.phase.kind, "held");
  ended(16_050);
  assert.equal(pool.sent.get(second!.id)?.phase.kind, "lost");
});

test("the tasks of a batch that never ends expire a second after the last of their deadlines", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 2, { now: 0, deadlineAt: 2_000 }), 0));
  const running = { batch: batch!, startedAt: 0, endsAt: 50_000 };
  const ends: ReturnType<typeof answersOf> = [];
  for (let now = 250; now <= 3_250; now += 250) {
    const moves = decide(pool, report("w1", { running, sentAt: now }), now);
    assert.deepEqual(answersOf(moves).length > 0, now === 3_000);
    ends.push(...answersOf(moves));
  }
  const expired = { kind: "expired", lateByMs: 1_000 };
  assert.deepEqual(ends, [
    ["a/nnnnnnnnnnnnnnnn/0", expired],
    ["a/nnnnnnnnnnnnnnnn/1", expired],
  ]);
  assert.equal(pool.open.size, 0);
});

test("the tasks of an adopted batch expire as well, those that are read after it included", () => {
  const pool = newPool();
  const adopted = { batch: "batcher-ffffffffffffffff/3", startedAt: 0, endsAt: 50_000 };
  const running = { ...adopted, tasks: ["a/nnnnnnnnnnnnnnnn/0", "b/nnnnnnnnnnnnnnnn/0"] };
  const ends: [number, string][] = [];
  decide(pool, call("a", 1, { now: 0, deadlineAt: 20_000 }), 0);
  decide(pool, report("w1", { running }), 0);
  decide(pool, call("b", 1, { now: 0, deadlineAt: 21_000 }), 1);
  for (let now = 250; now <= 22_000; now += 250) {
    for (const [id] of answersOf(decide(pool, report("w1", { running, sentAt: now }), now))) {
      ends.push([now, id]);
    }
  }
  assert.deepEqual(ends, [
    [22_000, "a/nnnnnnnnnnnnnnnn/0"],
    [22_000, "b/nnnnnnnnnnnnnnnn/0"],
  ]);
});

test("a batch that another batcher sent keeps its attempts", () => {
  const pool = newPool();
  const tasks = ["a/nnnnnnnnnnnnnnnn/0", "a/nnnnnnnnnnnnnnnn/1"];
  decide(pool, call("a", 2, { now: 0, deadlineAt: 60_000 }), 0);
  const running = { batch: "batcher-ffffffffffffffff/3", startedAt: 0, endsAt: 50, tasks, attempt: 3 };
  const reportAt = (now: number) => decide(pool, report("w1", { running, sentAt: now }), now);
  for (let now = 0; now <= 2_000; now += 250) assert.deepEqual(batchesOf(reportAt(now)), []);
  decide(pool, report("w2", { partition: 2 }), 2_000);
  assert.deepEqual(dispatches(reportAt(2_051)), [{ partition: 2, tasks: tasks.slice(0, 1), attempt: 4 }]);
});

test("a run is not hung while its worker moves its end on, however long it takes, and is 2 s after that", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const runs = (now: number, endsAt: number) =>
    decide(pool, report("w1", { running: { batch: batch!, startedAt: 0, endsAt }, sentAt: now }), now);
  for (let now = 250; now <= 20_000; now += 250) runs(now, now - 1_500);
  assert.equal(pool.sent.get(batch!.id)?.phase.kind, "held");
  for (let now = 20_250; now <= 20_500; now += 250) runs(now, 18_500);
  assert.equal(pool.sent.get(batch!.id)?.phase.kind, "held");
  runs(20_750, 18_500);
  assert.equal(pool.sent.get(batch!.id)?.phase.kind, "lost");
});

test("a batch is lost once, also where its tasks end while its worker hangs on and names it", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [batch] = batchesOf(decide(pool, call("a", 1, { now: 0, deadlineAt: 4_000 }), 0));
  const running = { batch: batch!, startedAt: 0, endsAt: 12 };
  const moves: Move[] = [];
  for (let now = 250; now <= 30_000; now += 250) {
    moves.push(...decide(pool, report("w1", { running, sentAt: now }), now));
  }
  assert.deepEqual(
    moves.flatMap((move) => (move.kind === "batch_ended" ? [move.end.kind] : [])),
    ["lost"],
  );
  assert.equal(pool.open.size, 0);
  // Its next process has another id.
  passTime(pool, 30_000, 92_000);
  assert.equal(pool.sent.size, 0);
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

test("with the partition back, batches are as large as the worker with most memory takes", () => {
  const pool = newPool();
  const sizes = [{ size: 1, runMs: 12 }];
  decide(pool, report("w1", { sizes }), 0);
  decide(pool, report("w2", { partition: 1 }), 0);
  const batchMax = () => [...pool.lanes.values()].map((lane) => lane.estimates.batchMax);
  assert.deepEqual(batchMax(), [8]);
  decide(pool, { kind: "partition_lost" }, 1);
  decide(pool, { kind: "partition_assigned" }, 2);
  decide(pool, report("w1", { sizes }), 3);
  decide(pool, report("w2", { partition: 1 }), 3);
  assert.deepEqual(batchMax(), [8]);
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
