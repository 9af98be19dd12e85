import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import { answered, answersOf, batchesOf, call, newPool, report, taskIds } from "../../testing/fixtures.ts";
import { decide } from "./decide.ts";
import type { State } from "./state/state.ts";

// Covers batch-load.ts and next-slot.ts: images that take long to prepare, beside light ones of cost 1.

test("a heavy task shares no batch with light ones, and goes when it is its tenant's turn", () => {
  const pool = newPool();
  decide(
    pool,
    report("w1", { running: { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 500 } }),
    0,
  );
  decide(pool, call("d", 3, { now: 0, cost: 20 }, "heavy"), 0);
  decide(pool, call("u", 3, { now: 0 }, "light"), 0);
  const sent: string[][] = [];
  let batches = batchesOf(decide(pool, report("w1"), 500));
  for (let now = 600; batches.length > 0; now += 100) {
    sent.push(...batches.map((batch) => batch.tasks.map((task) => task.id.split("/")[0]!)));
    batches = batchesOf(decide(pool, report("w1", { finished: batches.map(answered) }), now));
  }
  // Two of cost 20 would exceed the cost of a heavy batch.
  assert.deepEqual(
    sent.toSorted((a, b) => a.length - b.length),
    [["d"], ["d"], ["d"], ["u", "u", "u"]],
  );
});

test("while light tasks arrive, half of the workers prepare no heavy batch; otherwise all may", () => {
  const workersWithHeavy = (light: boolean) => {
    const pool = twoWorkers();
    const first = light ? batchesOf(decide(pool, call("u", 1, { now: 0 }, "light"), 0)) : [];
    for (const batch of first) decide(pool, report("w1", { finished: [answered(batch)] }), 1);
    return batchesOf(decide(pool, call("d", 2, { now: 2, cost: 20 }, "heavy"), 2)).length;
  };
  assert.deepEqual([workersWithHeavy(true), workersWithHeavy(false)], [1, 2]);
});

test("while light tasks arrive, the worker that runs a heavy batch gets the next one, and the others none", () => {
  const pool = twoWorkers();
  const light = batchesOf(decide(pool, call("u", 1, { now: 0 }, "light"), 0));
  decide(pool, report("w1", { finished: light.map(answered) }), 1);
  const [heavy] = batchesOf(decide(pool, call("d", 2, { now: 2, cost: 20 }, "heavy"), 2));
  const workerOf = (batch: Batch | undefined) => pool.sent.get(batch!.id)!.worker.replace("inference-", "");
  const worker = workerOf(heavy);
  const partition = worker === "w1" ? 0 : 1;
  const running = { batch: heavy!.id, tasks: taskIds(heavy!), startedAt: 300, endsAt: 340 };
  const [next] = batchesOf(decide(pool, report(worker, { partition, running }), 300));
  assert.equal(workerOf(next), worker);
});

test("while a worker prepares a heavy batch, light ones are sent to it as if it had none", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const [heavy] = batchesOf(decide(pool, call("d", 2, { now: 0, cost: 90 }, "heavy"), 0));
  decide(pool, report("w1", { staged: [heavy!] }), 3);
  const [light] = batchesOf(decide(pool, call("u", 1, { now: 10 }, "light"), 10));
  assert.deepEqual(taskIds(light!), ["u/nnnnnnnnnnnnnnnn/0"]);
  // It runs beside the preparation, and another one is staged behind it; a second heavy one is not.
  const running = { batch: light!.id, tasks: taskIds(light!), startedAt: 20, endsAt: 32 };
  decide(pool, report("w1", { running, staged: [heavy!] }), 20);
  const [next, ...others] = batchesOf(decide(pool, call("v", 1, { now: 25 }, "light"), 25));
  assert.deepEqual(taskIds(next!), ["v/nnnnnnnnnnnnnnnn/0"]);
  assert.deepEqual(others, []);
});

test("images that are nearly heavy run one by one beside other tenants, and together where nobody waits", () => {
  const sizes = (others: boolean) => {
    const pool = newPool();
    const running = { batch: "batcher-ffffffffffffffff/9", startedAt: 0, endsAt: 500 } as const;
    decide(pool, report("w1", { running }), 0);
    if (others) decide(pool, call("u", 1, { now: 0 }, "light"), 0);
    decide(pool, call("n", 4, { now: 0, cost: 6 }, "noisy"), 0);
    const [first] = batchesOf(decide(pool, report("w1"), 500));
    return first!.tasks.filter(({ cost }) => cost === 6).length;
  };
  assert.deepEqual([sizes(true), sizes(false)], [1, 4]);
});

test("a heavy call whose images could not be decoded by its deadline is refused on arrival", () => {
  const pool = twoWorkers();
  const refusedWith = (cost: number) =>
    answersOf(decide(pool, call(`c${cost}`, 1, { now: 0, deadlineAt: 400, cost }), 0)).map(
      ([, outcome]) => "reason" in outcome && outcome.reason,
    );
  assert.deepEqual([refusedWith(20), refusedWith(100)], [[], ["deadline_infeasible"]]);
});

test("the times of heavy batches do not lengthen what is predicted for light ones", () => {
  const pool = twoWorkers();
  const [lane] = pool.lanes.values();
  const { estimates } = lane!;
  const light = estimates.lightLoad(1);
  const heavy = { count: 1, cost: 160, isHeavy: true };
  const before = estimates.prepareHighMs(light);
  for (let i = 0; i < 20; i++) estimates.learnPreparation(heavy, 5_000);
  assert.equal(estimates.prepareHighMs(light), before);
  assert.ok(Math.abs(estimates.prepareMs(heavy) - 5_000) < 100);
});

function twoWorkers(): State {
  const pool = newPool();
  decide(pool, report("w1", { partition: 0 }), 0);
  decide(pool, report("w2", { partition: 1 }), 0);
  return pool;
}
