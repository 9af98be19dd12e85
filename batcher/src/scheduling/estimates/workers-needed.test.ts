import assert from "node:assert/strict";
import test from "node:test";
import { batchTasks } from "@faceline/contracts/wire/batch";
import { call, newPool, report } from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";
import { WorkersNeeded } from "./workers-needed.ts";

const needs = { utilisationTarget: 0.8, backlog: 0, workersInService: 0 };

test("steady work needs as many workers as keep to the utilisation target", () => {
  const needed = new WorkersNeeded();
  work(needed, { workers: 2, from: 0, until: 100_000 });
  assert.equal(needed.count, 3, "2 / 0.8 = 2.5");
});

test("more work is needed for within seconds, and less only after five minutes", () => {
  const needed = new WorkersNeeded();
  work(needed, { workers: 2, from: 0, until: 100_000 });
  work(needed, { workers: 8, from: 100_000, until: 120_000 });
  assert.equal(needed.count, 9, "of 10 for good");
  work(needed, { workers: 2, from: 120_000, until: 415_000 });
  assert.equal(needed.count, 9);
  work(needed, { workers: 2, from: 415_000, until: 470_000 });
  assert.equal(needed.count, 3);
  work(needed, { workers: 0, from: 470_000, until: 900_000 });
  assert.equal(needed.count, 0);
});

test("tasks that wait need workers of their own", () => {
  const needed = new WorkersNeeded();
  needed.sample({ ...needs, backlog: 1.5 }, 0);
  assert.equal(needed.count, 2);
});

test("after a takeover no worker in service is given up until five minutes were seen", () => {
  const needed = new WorkersNeeded();
  for (let now = 0; now <= 295_000; now += 1_000) needed.sample({ ...needs, workersInService: 4 }, now);
  assert.equal(needed.count, 4);
  for (let now = 300_000; now < 620_000; now += 1_000) needed.sample({ ...needs, workersInService: 4 }, now);
  assert.equal(needed.count, 0);
});

test("a pool needs the workers that serve within the usual time budget what waits in its lanes", () => {
  const pool = newPool();
  decide(pool, call("c", 1, { now: 0, deadlineAt: 20_000 }), 0);
  const [lane] = pool.lanes.values();
  lane!.queue.add("team", batchTasks(call("d", 499, { now: 0 }).call), 0, () => 1);
  decide(pool, { kind: "timer" }, 1_000);
  // 500 of 100 ms, as a run is guessed to take, in 20 s: 2.5.
  assert.equal(pool.workersNeeded.count, 3);
});

test("calls that are refused need workers too, whatever the number of workers that are there", () => {
  const needed = [1, 2].map((workers) => {
    const pool = newPool();
    decide(pool, { kind: "partition_assigned" }, 1_000);
    let refused = 0;
    // 40 calls of 8 images a second, of which a worker runs 8 in 26 ms.
    for (let now = 1_000; now < 40_000; now += 25) {
      for (let index = 0; index < workers; index++) {
        decide(pool, report(`w${index}`, { partition: index, sentAt: now }), now);
      }
      const moves = decide(pool, call(`c${now}`, 8, { now, deadlineAt: now + 60 }), now);
      if (moves.some((move) => move.kind === "answer")) refused++;
    }
    assert.ok(refused > 0);
    return pool.workersNeeded.count;
  });
  assert.deepEqual(
    needed,
    [5, 5],
    "40 a second of 96 ms, which preparation is guessed to take, at 0.85: 4.5",
  );
});

/** Gives work for so many workers, in calls of 10 ms, and takes a sample each second. */
function work(
  needed: WorkersNeeded,
  { workers, from, until }: { workers: number; from: number; until: number },
) {
  for (let now = from; now < until; now += 10) {
    needed.add(10 * workers, now);
    if (needed.isDue(now)) needed.sample(needs, now);
  }
}
