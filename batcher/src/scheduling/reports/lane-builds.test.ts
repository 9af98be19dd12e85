// Workers of one pool that run different builds of a lane: other weights, or another precision.
import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import {
  answered,
  answersOf,
  batchesOf,
  buildOf,
  call,
  newPool,
  passTime,
  report,
  taskIds,
} from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";
import type { Move, State } from "../state/state.ts";

const [old, next] = [buildOf("1"), buildOf("2")];
const oneAtATime = { sizes: [{ size: 1, runMs: 10 }] };
const worker = (name: "old" | "next", fields: Parameters<typeof report>[1] = {}) =>
  report(name, {
    ...oneAtATime,
    ...(name === "old" ? { build: old, partition: 0 } : { build: next, partition: 1 }),
    ...fields,
  });

function mixedPool(): State {
  const pool = newPool();
  decide(pool, worker("old"), 0);
  decide(pool, worker("next"), 0);
  return pool;
}

const digestsOf = (moves: Move[]): string[] => batchesOf(moves).map(({ digest }) => digest);

test("all tasks of a call go to one build, also while a worker of another one is idle", () => {
  const pool = mixedPool();
  const sent = [...batchesOf(decide(pool, call("a", 3, { now: 0 }), 0))];
  const { digest } = sent[0]!;
  const name = digest === old.digest ? "old" : "next";
  for (let now = 10; sent.length < 3 && now < 1_000; now += 10) {
    const finished = [answered(sent.at(-1)!)];
    sent.push(...batchesOf(decide(pool, worker(name, { finished }), now)));
  }
  assert.deepEqual(
    sent.map((batch) => batch.digest),
    [digest, digest, digest],
  );
});

test("calls are spread over the builds by when they would begin", () => {
  const pool = mixedPool();
  const digests = ["a", "b"].flatMap((name) => digestsOf(decide(pool, call(name, 1, { now: 0 }), 0)));
  assert.deepEqual(digests.toSorted(), [old.digest, next.digest]);
});

test("a call that arrived before any worker goes to the first one's build", () => {
  const pool = newPool();
  decide(pool, call("a", 1, { now: 0 }), 0);
  assert.deepEqual(digestsOf(decide(pool, worker("next"), 10)), [next.digest]);
  assert.equal(pool.lanes.size, 1);
});

test("a call without an answer moves whole when the last worker of its build is lost", () => {
  const { pool, sent } = poolWithCallOnOld();
  const moves = withNextAlive(pool, 0, 2_000);
  const first = batchesOf(moves)[0]!;
  assert.equal(first.digest, next.digest);
  const moved = [first];
  for (let now = 2_000; moved.length < 2; now += 20) {
    moved.push(...batchesOf(decide(pool, worker("next", { finished: [answered(moved.at(-1)!)] }), now)));
  }
  assert.deepEqual(moved.flatMap(taskIds).toSorted(), [...taskIds(sent), "a/nnnnnnnnnnnnnnnn/1"]);
  assert.deepEqual(
    moved.map(({ digest }) => digest),
    [next.digest, next.digest],
  );
});

test("a call with an answer is never finished by another build: it waits for its own, and then fails", () => {
  const { pool, sent } = poolWithCallOnOld();
  const draining = worker("old", { draining: true, finished: [answered(sent)] });
  assert.deepEqual(batchesOf(decide(pool, draining, 20)), []);
  assert.deepEqual(answersOf(withNextAlive(pool, 20, 2_900)), []);
  assert.deepEqual(answersOf(withNextAlive(pool, 2_900, 3_100)), [
    ["a/nnnnnnnnnnnnnnnn/1", { kind: "failed", reason: "build_gone" }],
  ]);
  assert.equal(pool.open.size, 0);
});

test("a call with an answer goes on when a worker of its build comes back", () => {
  const { pool, sent } = poolWithCallOnOld();
  decide(pool, worker("old", { draining: true, finished: [answered(sent)] }), 20);
  withNextAlive(pool, 20, 2_000);
  const back = decide(pool, report("again", { ...oneAtATime, build: old, partition: 0 }), 2_100);
  assert.deepEqual(
    [digestsOf(back), batchesOf(back).flatMap(taskIds)],
    [[old.digest], ["a/nnnnnnnnnnnnnnnn/1"]],
  );
});

test("a batch that a worker of another build refused goes again as it was, to its own build", () => {
  const { pool, sent } = poolWithCallOnOld();
  const refused = { ...answered(sent), size: 0, end: "refused" as const };
  const again = batchesOf(decide(pool, worker("next", { finished: [refused] }), 10));
  assert.deepEqual(
    again.map(({ digest, attempt, tasks }) => [digest, attempt, tasks[0]!.id]),
    [[old.digest, 1, sent.tasks[0]!.id]],
  );
});

test("a batch that its worker holds goes on when a worker of another build refuses its repetition", () => {
  const pool = newPool();
  decide(pool, worker("old"), 0);
  const [sent] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const running = { batch: sent!, startedAt: 5, endsAt: 15 };
  decide(pool, worker("old", { running }), 5);
  const refused = { ...answered(sent!), size: 0, end: "refused" as const };
  const idle = report("idle", { ...oneAtATime, build: old, partition: 2 });
  const moves = [...decide(pool, worker("next", { finished: [refused] }), 10), ...decide(pool, idle, 11)];
  assert.deepEqual(batchesOf(moves), []);
  decide(pool, worker("old", { finished: [answered(sent!)] }), 15);
  assert.deepEqual([pool.open.size, pool.sent.size], [0, 0]);
});

test("after a takeover the rest of a call goes to the build that answered or holds its other tasks", () => {
  const left = (name: string) => {
    const { call: message } = call(name, 2, { now: 0 });
    return { ...message, tasks: message.tasks.slice(1) };
  };
  for (const build of [old, next]) {
    const pool = mixedPool();
    const moves = decide(pool, { kind: "arrive", call: left("a"), answeredBy: build }, 10);
    assert.deepEqual(digestsOf(moves), [build.digest], "answered");
  }
  for (const name of ["old", "next"] as const) {
    const pool = mixedPool();
    const running = { batch: "batcher-ffffffffffffffff/1", startedAt: 0, endsAt: 10 };
    decide(pool, worker(name, { running: { ...running, tasks: ["a/nnnnnnnnnnnnnnnn/0"] } }), 5);
    const digests = digestsOf(decide(pool, { kind: "arrive", call: left("a") }, 10));
    digests.push(...digestsOf(passTime(pool, 10, 200)));
    assert.deepEqual(digests, [name === "old" ? old.digest : next.digest], "held");
  }
});

test("a build that no worker has any more is forgotten", () => {
  const pool = mixedPool();
  withNextAlive(pool, 0, 59_000);
  assert.equal(pool.lanes.size, 2);
  withNextAlive(pool, 59_000, 61_000);
  assert.deepEqual(
    [...pool.lanes.values()].map(({ build }) => build),
    [next],
  );
});

/** A call of two tasks, the first of which was sent to the worker with the old build. */
function poolWithCallOnOld(): { pool: State; sent: Batch } {
  const pool = newPool();
  decide(pool, worker("old"), 0);
  const [sent] = batchesOf(decide(pool, call("a", 2, { now: 0 }), 0));
  decide(pool, worker("next"), 0);
  return { pool, sent: sent! };
}

/** Time passes, in which only the worker with the next build reports. */
function withNextAlive(pool: State, from: number, until: number): Move[] {
  const moves: Move[] = [];
  for (let now = from + 100; now <= until; now += 100) {
    moves.push(...decide(pool, worker("next"), now), ...decide(pool, { kind: "timer" }, now));
  }
  return moves;
}
