// Covers lanes that workers can load, over reports.ts, admission.ts and pool-state.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, newPool, report } from "../../testing/fixtures.ts";
import { decide } from "./decide.ts";
import { laneStates } from "./pool-state.ts";
import type { Event, State } from "./state.ts";

const other = "Dlib/tiny";

test("a lane that workers can load is published before any has, and nobody wants it", () => {
  const pool = poolOf({ loadable: [other] });
  assert.deepEqual(stateOf(pool, 0), { workers: 0, loadable: 1, wanted: false, waiting: 0 });
});

test("its calls wait, it is wanted until it is loaded, and then they go to the worker that has loaded it", () => {
  const pool = poolOf({ loadable: [other] });
  assert.deepEqual(decide(pool, callOf("a", { now: 0 }), 0).filter(isAnswer), []);
  assert.deepEqual(stateOf(pool, 0), { workers: 0, loadable: 1, wanted: true, waiting: 1 });
  for (let now = 500; now <= 1_500; now += 500) {
    decide(pool, report("w0", { sentAt: now, loadable: [other] }), now);
  }
  assert.equal(stateOf(pool, 1_500)?.wanted, true);
  const moves = decide(pool, report("w0", { sentAt: 1_600, lanes: ["Dlib/ssd", other] }), 1_600);
  const [sent] = moves.filter((move) => move.kind === "dispatch");
  assert.deepEqual([sent?.batch.lane, sent?.batch.tasks.length], [other, 1]);
  assert.deepEqual(stateOf(pool, 1_600), { workers: 1, loadable: 0, wanted: false, waiting: 0 });
});

test("a call waits for the load however short its share for a queue is", () => {
  const pool = poolOf({ loadable: [other] });
  const moves = decide(pool, callOf("a", { now: 0, deadlineAt: 6_000 }), 0);
  assert.deepEqual(moves.filter(isAnswer), []);
});

test("a call whose deadline is before the load's end is refused with the load's time, and begins it", () => {
  const pool = poolOf({ loadable: [other] });
  const [refusal] = decide(pool, callOf("a", { now: 0, deadlineAt: 2_000 }), 0).filter(isAnswer);
  const { outcome } = refusal!;
  assert.ok(outcome.kind === "shed" && outcome.reason === "deadline_infeasible");
  assert.ok(outcome.retryAfterMs >= 3_000 && outcome.retryAfterMs < 3_500, `${outcome.retryAfterMs} ms`);
  assert.equal(stateOf(pool, 0)?.wanted, true);
  decide(pool, report("w0", { sentAt: 2_100, loadable: [other] }), 2_100);
  assert.equal(stateOf(pool, 2_100)?.wanted, false);
});

test("beside a worker that has the lane, another one is wanted while tasks wait", () => {
  const pool = poolOf({ loadable: [other] });
  decide(pool, report("w1", { partition: 1, lanes: [other] }), 0);
  assert.equal(stateOf(pool, 0)?.wanted, false);
  for (const name of ["a", "b", "c", "d"]) decide(pool, callOf(name, { now: 0 }), 0);
  const { waiting, wanted } = stateOf(pool, 0)!;
  assert.deepEqual([waiting > 0, wanted], [true, true]);
});

function poolOf(fields: { loadable: string[] }): State {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  decide(pool, report("w0", fields), 0);
  return pool;
}

function callOf(name: string, fields: Parameters<typeof call>[2]): Event {
  const event = call(name, 1, fields);
  return { ...event, call: { ...event.call, lane: other as typeof event.call.lane } };
}

const isAnswer = (move: ReturnType<typeof decide>[number]) => move.kind === "answer";

function stateOf(pool: State, now: number) {
  const state = laneStates(pool, now).find(({ lane }) => lane === other);
  return (
    state && {
      workers: state.workers,
      loadable: state.loadable,
      wanted: state.wanted,
      waiting: state.waiting,
    }
  );
}
