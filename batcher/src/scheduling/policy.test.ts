import assert from "node:assert/strict";
import test from "node:test";
import { answersOf, batchesOf, call, idlePool, newPool, report } from "../../testing/fixtures.ts";
import { laneSituation } from "./capacity/situation.ts";
import { decide } from "./decide.ts";
import type { Move, State } from "./state/state.ts";

// Why a task waits, is refused or is shed: each rule of the policy alone. One worker whose batch of b takes
// 40 + 2b ms.

const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));
const usualBudgetMs = 300;

test("a free worker waits for the floor for one stagger at most", () => {
  const pool = accelerator();
  load(pool, { perSecond: 100, untilMs: 1_000 });
  // 0.1 · 40 / (1 − 0.1 · 2) = 5: batches of 5 keep up. No task is held for longer than their run.
  assert.deepEqual(batchesOf(arrive(pool, 1, 1_000)), []);
  const [expired] = batchesOf(decide(pool, { kind: "timer" }, 1_056));
  assert.equal(expired?.reason, "hold_expired");
});

test("a hold ends at the last instant at which one more task could still be in time", () => {
  const pool = accelerator();
  load(pool, { perSecond: 150, untilMs: 1_000 });
  const urgent = arrive(pool, 1, 1_000, { timeBudgetMs: 80 });
  // 3 ms on the way, 3 to reply, 1 to guard, and a run of two: 44 ms.
  const wake = urgent.find((move) => move.kind === "wake");
  assert.ok(wake !== undefined && wake.at < 1_080 - 50 && wake.at > 1_080 - 56, JSON.stringify(urgent));
});

test("the largest batch of the settings bounds every batch", () => {
  const pool = accelerator();
  pool.settings = { ...pool.settings, batchMax: 8 };
  const [bounded] = batchesOf(arrive(pool, 32, 0, { timeBudgetMs: 2_000 }));
  assert.equal(bounded?.tasks.length, 8);
});

test("a smaller utilisation target makes the floor larger", () => {
  const floorWith = (utilisationTarget: number) => {
    const pool = idlePool(2);
    pool.settings = { ...pool.settings, utilisationTarget };
    const [lane] = pool.lanes.values();
    for (let now = 0; now < 900; now += 10) lane!.estimates.arrivals.add(4, 30_000, now);
    return laneSituation(pool, lane!, 900).sizing.floor;
  };
  assert.ok(floorWith(0.4) > floorWith(1), `${floorWith(0.4)} and ${floorWith(1)}`);
});

test("no task is held when the batcher is stopping", () => {
  const pool = accelerator();
  load(pool, { perSecond: 150, untilMs: 1_000 });
  assert.deepEqual(batchesOf(arrive(pool, 1, 1_000)), []);
  const [batch] = batchesOf(decide(pool, { kind: "drain" }, 1_001));
  assert.equal(batch?.reason, "drain");
});

test("a batch is cut down to the size below where padding would cost more than it gains", () => {
  const pool = accelerator();
  // Padded to 32, 18 of them would take 104 ms; 16 take 72, and the other two can wait that long.
  const [batch] = batchesOf(arrive(pool, 18, 0, { timeBudgetMs: 1_000 }));
  assert.equal(batch?.tasks.length, 16);
  const [urgent] = batchesOf(arrive(accelerator(), 18, 0, { timeBudgetMs: 115 }));
  assert.equal(urgent?.tasks.length, 18);
});

test("a loaded lane without calls does not lengthen the queue wait that is accepted", () => {
  const pool = accelerator();
  busyUntil(pool, 0, 104, ["Dlib/ssd", "Dlib/blazeface"]);
  const outcomes = Array.from({ length: 3 }, () => arrive(pool, 16, 0, { timeBudgetMs: 600 }));
  // Its times are a guess, by which a batch of 32 takes longer than 104 ms to prepare.
  assert.deepEqual(
    outcomes.map((moves) => answersOf(moves).length),
    [0, 0, 16],
  );
});

test("a tenant is not refused for the queue of another", () => {
  const pool = accelerator();
  busyUntil(pool, 0, 104);
  for (let index = 0; index < 4; index++) arrive(pool, 16, 0, { timeBudgetMs: 600, tenant: "loud" });
  assert.deepEqual(answersOf(arrive(pool, 20, 0, { timeBudgetMs: 600, tenant: "quiet" })), []);
});

test("a task so urgent that its batch could not keep up is dropped early, with the rest of its call", () => {
  const pool = accelerator();
  load(pool, { perSecond: 280, untilMs: 2_000 });
  busyUntil(pool, 2_000, 2_100);
  arrive(pool, 2, 2_000, { timeBudgetMs: 165, name: "urgent" });
  for (let at = 2_000; at < 2_090; at += 3) arrive(pool, 1, at);
  const moves = decide(pool, { kind: "timer" }, 2_098);
  const early = answersOf(moves).filter(
    ([, outcome]) => outcome.kind === "shed" && outcome.reason === "early_drop",
  );
  assert.deepEqual(
    early.map(([task]) => task.split("/")[0]),
    ["urgent", "urgent"],
  );
  assert.ok((batchesOf(moves)[0]?.tasks.length ?? 0) >= 16);
});

test("a task of a tenant within its share is not dropped early: the smaller batch is run", () => {
  const pool = accelerator();
  load(pool, { perSecond: 280, untilMs: 2_000 });
  busyUntil(pool, 2_000, 2_100);
  arrive(pool, 2, 2_000, { timeBudgetMs: 165, name: "urgent", tenant: "quiet" });
  for (let at = 2_000; at < 2_090; at += 3) arrive(pool, 1, at);
  const moves = decide(pool, { kind: "timer" }, 2_098);
  assert.deepEqual(answersOf(moves), []);
  assert.ok(batchesOf(moves)[0]?.tasks.some((task) => task.id.startsWith("urgent")));
});

test("two overlapping calls of a tenant that demands less than its share are accepted beside a flood", () => {
  const pool = accelerator();
  const [lane] = pool.lanes.values();
  for (let at = 0; at < 10_000; at += 10) lane!.estimates.demand.add("flood", 10, at);
  for (let at = 0; at < 10_000; at += 1_000) lane!.estimates.demand.add("modest", 20, at);
  busyUntil(pool, 10_000, 10_104);
  arrive(pool, 32, 10_000, { timeBudgetMs: 1_000, tenant: "flood" });
  const calls = [1, 2].map(() =>
    answersOf(arrive(pool, 20, 10_000, { timeBudgetMs: 1_000, tenant: "modest" })),
  );
  assert.deepEqual(calls, [[], []]);
});

test("a worker that ran out of memory gets batches of its own largest size", () => {
  const pool = newPool();
  decide(pool, report("w1", { sizes }), 0);
  decide(pool, report("w1", { sizes: sizes.slice(0, 4) }), 1);
  learnInstantPreparation(pool);
  const [batch] = batchesOf(arrive(pool, 20, 1, { timeBudgetMs: 2_000 }));
  assert.equal(batch?.tasks.length, 8);
});

test("a worker with less memory than the others gets no batch larger than it takes", () => {
  const pool = newPool();
  decide(pool, report("small", { sizes: sizes.slice(0, 4), partition: 1 }), 0);
  const running = { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 5_000 };
  decide(pool, report("large", { sizes, partition: 2, running }), 0);
  learnInstantPreparation(pool);
  const [batch] = batchesOf(arrive(pool, 20, 1, { timeBudgetMs: 2_000 }));
  assert.equal(batch?.tasks.length, 8);
});

test("a lane whose predictions refuse everything probes with one call a second, on an idle worker", () => {
  const pool = accelerator();
  const refusedAt = (now: number) => answersOf(arrive(pool, 1, now, { timeBudgetMs: 20 })).length;
  assert.equal(refusedAt(500), 1);
  decide(pool, report("w1", { sizes, sentAt: 1_397 }), 1_400);
  assert.equal(batchesOf(arrive(pool, 1, 1_500, { timeBudgetMs: 20 })).length, 1);
  assert.equal(refusedAt(1_501), 1);
});

test("of two lanes the one with the earlier deadline goes first, and the other is staged behind it", () => {
  const pool = newPool();
  const lanes = ["Dlib/ssd", "Dlib/blazeface"];
  decide(pool, report("w1", { sizes, lanes, sentAt: -3 }), 0);
  learnInstantPreparation(pool);
  busyUntil(pool, 0, 100, lanes);
  const arrival = (lane: string, name: string, deadlineAt: number) => {
    const event = call(name, 1, { now: 0, deadlineAt });
    return { ...event, call: { ...event.call, lane: lane as typeof event.call.lane } };
  };
  decide(pool, arrival("Dlib/ssd", "later", 900), 0);
  decide(pool, arrival("Dlib/blazeface", "sooner", 600), 0);
  const first = batchesOf(decide(pool, { kind: "timer" }, 98));
  assert.deepEqual(
    first.map((batch) => [batch.lane, batch.tasks[0]?.deadlineAt]),
    [["Dlib/blazeface", 600]],
  );
  const fields = { sizes, lanes, sentAt: 100, running: { batch: first[0]!, startedAt: 100, endsAt: 103 } };
  const second = batchesOf(decide(pool, report("w1", fields), 103));
  assert.deepEqual(
    second.map((batch) => [batch.lane, batch.tasks[0]?.deadlineAt]),
    [["Dlib/ssd", 900]],
  );
});

function accelerator(): State {
  const pool = newPool();
  decide(pool, report("w1", { sizes, sentAt: -3 }), 0);
  learnInstantPreparation(pool);
  return pool;
}

function learnInstantPreparation(pool: State): void {
  for (const lane of pool.lanes.values()) {
    for (let run = 0; run < 300; run++) {
      const size = [1, 4, 32][run % 3]!;
      lane.estimates.learnPreparation(lane.estimates.lightLoad(size), 0);
    }
  }
}

/** Makes the lane believe in a past load: arrivals that were answered at once. */
function load(pool: State, { perSecond, untilMs }: { perSecond: number; untilMs: number }): void {
  const lane = [...pool.lanes.values()][0]!;
  for (let at = 0; at < untilMs; at += 1_000 / perSecond) lane.estimates.arrivals.add(1, usualBudgetMs, at);
  decide(pool, report("w1", { sizes, sentAt: untilMs - 3 }), untilMs);
}

function busyUntil(pool: State, startedAt: number, endsAt: number, lanes = ["Dlib/ssd"]): void {
  const running = { batch: "batcher-ffffffffffffffff/9", startedAt, endsAt };
  decide(pool, report("w1", { sizes, lanes, sentAt: startedAt - 3, running }), startedAt);
}

let calls = 0;
function arrive(pool: State, tasks: number, now: number, options: ArrivalOptions = {}): Move[] {
  const { timeBudgetMs = usualBudgetMs, tenant = "team", name = `c${calls++}` } = options;
  return decide(pool, call(name, tasks, { now, deadlineAt: now + timeBudgetMs }, tenant), now);
}

type ArrivalOptions = { timeBudgetMs?: number; tenant?: string; name?: string };
