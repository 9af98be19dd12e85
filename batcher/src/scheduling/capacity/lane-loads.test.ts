// Covers lanes that workers can load, over reports.ts, admission.ts and pool-state.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, newPool, report } from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";
import { laneStates } from "../pool-state.ts";
import type { Event, State } from "../state/state.ts";

const other = "Dlib/tiny";

test("a lane that workers can load is published before any has, and nobody wants it", () => {
  const pool = poolOf({ loadable: [other] });
  assert.deepEqual(stateOf(pool, 0), { workers: 0, loadable: 1, load: null, waiting: 0 });
});

test("its calls wait, it is wanted until it is loaded, and then they go to the worker that has loaded it", () => {
  const pool = poolOf({ loadable: [other] });
  assert.deepEqual(decide(pool, callOf("a", { now: 0 }), 0).filter(isAnswer), []);
  assert.deepEqual(stateOf(pool, 0), { workers: 0, loadable: 1, load: on("w0"), waiting: 1 });
  for (let now = 500; now <= 1_500; now += 500) {
    decide(pool, report("w0", { sentAt: now, loadable: [other] }), now);
  }
  assert.deepEqual(stateOf(pool, 1_500)?.load, on("w0"));
  const moves = decide(pool, report("w0", { sentAt: 1_600, lanes: ["Dlib/ssd", other] }), 1_600);
  const [sent] = moves.filter((move) => move.kind === "dispatch");
  assert.deepEqual([sent?.batch.lane, sent?.batch.tasks.length], [other, 1]);
  assert.deepEqual(stateOf(pool, 1_600), { workers: 1, loadable: 0, load: null, waiting: 0 });
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
  assert.deepEqual(stateOf(pool, 0)?.load, on("w0"));
  decide(pool, report("w0", { sentAt: 2_100, loadable: [other] }), 2_100);
  assert.equal(stateOf(pool, 2_100)?.load, null);
});

test("a call that the measured load of its lane would make late is refused with that time, wherever it was measured", () => {
  const loadable = { lane: other, unloads: [], at: 0 };
  const pool = poolOf({ loadable: [loadable] });
  decide(pool, { kind: "partition_assigned" }, 0);
  const slow = { ...loadable, at: 5_000, loadMs: 20_000 };
  decide(pool, report("w1", { partition: 1, loadable: [slow] }), 0);
  const refused = retryAfterMsOf(decide(pool, callOf("a", { now: 0, deadlineAt: 15_000 }), 0));
  assert.ok(refused! >= 20_000 && refused! < 21_000, `${refused} ms`);
  assert.equal(retryAfterMsOf(decide(pool, callOf("b", { now: 0, deadlineAt: 25_000 }), 0)), undefined);
});

test("a load counts from its begin, and one that takes longer is expected to take as long again", () => {
  const after = (elapsedMs: number) => {
    const at = -elapsedMs;
    const pool = poolOf({ loadable: [{ lane: other, unloads: [], at, loadMs: 8_000 }], loading: other });
    return retryAfterMsOf(decide(pool, callOf("a", { now: 0, deadlineAt: 500 }), 0));
  };
  for (const [elapsedMs, remainingMs] of [
    [0, 8_000],
    [6_000, 2_000],
    [9_000, 9_000],
  ] as const) {
    const expected = after(elapsedMs)!;
    assert.ok(expected >= remainingMs && expected < remainingMs + 500, `${elapsedMs} ms: ${expected} ms`);
  }
});

test("a call waits until lanes that leave for its lane have stayed for a while, or is refused with that time", () => {
  const pool = poolOf({ loadable: [{ lane: other, unloads: ["Dlib/ssd"], at: 8_000 }] });
  assert.deepEqual(decide(pool, callOf("a", { now: 0, deadlineAt: 15_000 }), 0).filter(isAnswer), []);
  const [refusal] = decide(pool, callOf("b", { now: 0, deadlineAt: 10_000 }), 0).filter(isAnswer);
  const { outcome } = refusal!;
  assert.ok(outcome.kind === "shed" && outcome.reason === "deadline_infeasible");
  assert.ok(outcome.retryAfterMs >= 11_000 && outcome.retryAfterMs < 12_000, `${outcome.retryAfterMs} ms`);
});

test("of several workers one loads a lane: that on which nothing leaves, or no last copy", () => {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  const unloading = (lane: string) => ({ loadable: [{ lane: other, unloads: [lane], at: 0 }] });
  decide(pool, report("w0", { partition: 0, lanes: ["Dlib/ssd"], ...unloading("Dlib/ssd") }), 0);
  decide(pool, report("w1", { partition: 1, lanes: ["Other/ssd"], ...unloading("Other/ssd") }), 0);
  decide(pool, report("w2", { partition: 2, lanes: ["Other/ssd"], ...unloading("Other/ssd") }), 0);
  decide(pool, callOf("a", { now: 0 }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w1"));
  decide(pool, report("w0", { partition: 0, lanes: ["Dlib/ssd"], loadable: [other] }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w0"));
  decide(pool, report("w2", { partition: 2, lanes: [], loading: other, ...unloading("Other/ssd") }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w2"), "it has begun");
  // It has failed there.
  decide(pool, report("w2", { partition: 2, lanes: ["Other/ssd"] }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w0"));
});

test("beside a worker that has the lane another one loads it where tasks have waited for a second, and no lane leaves for it", () => {
  const pool = poolOf({ loadable: [other] });
  const reports = (now: number, unloads: string[]) => {
    decide(pool, report("w0", { sentAt: now, loadable: [{ lane: other, unloads, at: 0 }] }), now);
    decide(pool, report("w1", { sentAt: now, partition: 1, lanes: [other] }), now);
  };
  reports(0, []);
  for (const name of ["a", "b", "c", "d"]) decide(pool, callOf(name, { now: 0 }), 0);
  const { waiting, load } = stateOf(pool, 0)!;
  assert.deepEqual([waiting > 0, load], [true, null]);
  for (let now = 250; now <= 1_000; now += 250) reports(now, []);
  assert.deepEqual(stateOf(pool, 1_000)?.load, on("w0", false));
  reports(1_000, ["Dlib/ssd"]);
  assert.equal(stateOf(pool, 1_000)?.load, null);
});

test("an idle lane leaves for one more copy of a crowded lane, and one that teams call does not", () => {
  const pool = poolOf({ loadable: [{ lane: other, unloads: ["Dlib/ssd"], at: 0 }] });
  const reports = (now: number) => {
    decide(
      pool,
      report("w0", { sentAt: now, loadable: [{ lane: other, unloads: ["Dlib/ssd"], at: 0 }] }),
      now,
    );
    decide(pool, report("w1", { sentAt: now, partition: 1, lanes: [other] }), now);
  };
  reports(0);
  const deadlineAt = 60_000;
  for (let now = 250; now <= 12_000; now += 250) {
    reports(now);
    for (const name of ["a", "b", "c", "d"]) decide(pool, callOf(`${name}${now}`, { now, deadlineAt }), now);
    const isIdle = now >= 10_000;
    assert.deepEqual(stateOf(pool, now)?.load ?? null, isIdle ? on("w0") : null, `${now} ms`);
  }
  decide(pool, call("e", 1, { now: 12_100, deadlineAt }), 12_100);
  assert.equal(stateOf(pool, 12_100)?.load, null);
});

test("wanted lanes are loaded in turn, and a call counts with the lanes before its own", () => {
  const third = "Dlib/third";
  const loadable = [other, third].map((lane) => ({ lane, unloads: ["Dlib/ssd"], at: 0, loadMs: 2_000 }));
  const pool = poolOf({ loadable });
  const first = call("a", 1, { now: 0 });
  decide(pool, { ...first, call: { ...first.call, lane: third as typeof first.call.lane } }, 0);
  // The load of the third lane, its stay, and the own load.
  const refused = retryAfterMsOf(decide(pool, callOf("b", { now: 100, deadlineAt: 13_000 }), 100));
  assert.ok(refused! >= 13_900 && refused! < 14_500, `${refused} ms`);
  decide(pool, callOf("c", { now: 200 }), 200);
  assert.deepEqual(stateOf(pool, 200)?.load, null);
  assert.deepEqual(laneStates(pool, 200).find(({ lane }) => lane === third)?.load, on("w0"));
  decide(pool, report("w0", { sentAt: 2_100, lanes: [third], loadable: loadable.slice(0, 1) }), 2_100);
  assert.deepEqual(stateOf(pool, 2_100)?.load, on("w0"));
});

test("for anonymous calls a lane is loaded only where no lane leaves for it", () => {
  const pool = poolOf({ loadable: [{ lane: other, unloads: ["Dlib/ssd"], at: 0 }] });
  decide(pool, callOf("a", { now: 0, serviceClass: "best_effort" }), 0);
  assert.equal(stateOf(pool, 0)?.load, null);
  decide(pool, report("w0", { loadable: [other] }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w0", false));
  decide(pool, callOf("b", { now: 0 }), 0);
  assert.deepEqual(stateOf(pool, 0)?.load, on("w0"));
});

test("an anonymous call for a lane that has left is refused at once, whatever its workers left idle before", () => {
  const pool = poolOf({ lanes: ["Dlib/ssd", other] });
  for (let now = 250; now <= 5_000; now += 250) {
    decide(pool, report("w0", { sentAt: now, lanes: ["Dlib/ssd", other] }), now);
  }
  const unloaded = { loadable: [{ lane: other, unloads: ["Dlib/ssd"], at: 15_000 }] };
  decide(pool, report("w0", { sentAt: 5_100, ...unloaded }), 5_100);
  const event = callOf("a", { now: 5_200, deadlineAt: 20_200, serviceClass: "best_effort" });
  const [refusal] = decide(pool, event, 5_200).filter(isAnswer);
  assert.equal(refusal?.outcome.kind, "shed");
});

const on = (worker: string, mayUnload = true) => ({ worker: `inference-${worker}`, mayUnload });

function poolOf(fields: Parameters<typeof report>[1]): State {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  decide(pool, report("w0", fields), 0);
  return pool;
}

function callOf(name: string, fields: Parameters<typeof call>[2]): Event {
  const event = call(name, 1, fields);
  return { ...event, call: { ...event.call, lane: other as typeof event.call.lane } };
}

/** Returns the hint of the refusal; undefined if the call was accepted. */
function retryAfterMsOf(moves: ReturnType<typeof decide>): number | undefined {
  const [refusal] = moves.filter(isAnswer);
  return refusal?.outcome.kind === "shed" ? refusal.outcome.retryAfterMs : undefined;
}

const isAnswer = (move: ReturnType<typeof decide>[number]) => move.kind === "answer";

function stateOf(pool: State, now: number) {
  const state = laneStates(pool, now).find(({ lane }) => lane === other);
  return (
    state && {
      workers: state.workers,
      loadable: state.loadable,
      load: state.load,
      waiting: state.waiting,
    }
  );
}
