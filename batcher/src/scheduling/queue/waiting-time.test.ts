import assert from "node:assert/strict";
import test from "node:test";
import { answered, batchesOf, call, newPool, passTime, report } from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";
import { HoldTime, WaitingTime } from "./waiting-time.ts";

test("the wait of a task is split into the time for a worker and the time that its lane was held", () => {
  const hold = new HoldTime();
  hold.set(true, 0);
  const early = new WaitingTime(hold, 3, 0);
  hold.set(false, 10);
  const late = new WaitingTime(hold, 4, 12);
  hold.set(true, 20);
  hold.set(true, 22);
  assert.deepEqual(early.send(25), { ...times(3, 10, 15, 0), queuedAt: 0, attempts: 1 });
  assert.deepEqual(late.send(25), { ...times(4, 8, 5, 0), queuedAt: 12, attempts: 1 });
});

test("a task that moves to another lane takes its waits along, and is held with the new one from then on", () => {
  const before = new HoldTime();
  const after = new HoldTime();
  after.set(true, 0);
  const wait = new WaitingTime(before, 3, 0);
  before.set(true, 4);
  wait.moveTo(after, 10);
  before.set(false, 14);
  after.set(false, 11);
  assert.deepEqual(wait.send(20), { ...times(3, 13, 7, 0), queuedAt: 0, attempts: 1 });
});

test("the time in a batch that was lost is neither queue nor hold", () => {
  const wait = new WaitingTime(new HoldTime(), 3, 0);
  wait.send(5);
  wait.requeue(1_005);
  assert.deepEqual(wait.until(1_007), { ...times(3, 7, 0, 1_000), queuedAt: 1_005, attempts: 1 });
  assert.deepEqual(wait.send(1_010), { ...times(3, 10, 0, 1_000), queuedAt: 1_005, attempts: 2 });
});

test("a batch carries the waits of its tasks to the worker", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [first] = batchesOf(decide(pool, arrival("a", { sentAt: 7, receivedAt: 9 }), 10));
  assert.deepEqual(first!.tasks[0]!.waited, { ...times(2, 1, 0, 0), queuedAt: 9, attempts: 1 });

  // The second call waits until the worker has ended its batch.
  const running = { running: { batch: first!, startedAt: 12, endsAt: 24 } };
  decide(pool, report("w1", running), 12);
  const early = batchesOf(decide(pool, arrival("b", { sentAt: 11, receivedAt: 12 }), 12));
  const [second] = [...early, ...batchesOf(decide(pool, report("w1", { finished: [answered(first!)] }), 30))];
  const { queueMs, holdMs } = second!.tasks[0]!.waited!;
  assert.equal(queueMs + holdMs, second!.sentAt - 12);
});

test("a task whose worker fell silent tells how long that took", () => {
  const pool = newPool();
  decide(pool, report("w1", { partition: 1 }), 0);
  const [lost] = batchesOf(decide(pool, call("a", 1, { now: 0 }), 0));
  const moves = passTime(pool, 0, 900);
  moves.push(...decide(pool, report("w2", { partition: 2 }), 900), ...passTime(pool, 900, 2_000));
  const [again] = batchesOf(moves);
  assert.ok(lost);
  assert.deepEqual(again!.tasks[0]!.waited, {
    ...times(0, 0, 0, again!.sentAt),
    queuedAt: again!.sentAt,
    attempts: 2,
  });
});

function arrival(name: string, { sentAt, receivedAt }: { sentAt: number; receivedAt: number }) {
  const event = call(name, 1, { now: sentAt });
  return { ...event, call: { ...event.call, sentAt }, receivedAt };
}

const times = (hopMs: number, queueMs: number, holdMs: number, retryMs: number) => ({
  hopMs,
  queueMs,
  holdMs,
  retryMs,
});
