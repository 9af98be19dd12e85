import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "@faceline/batcher/scheduling/decide";
import type { Event } from "@faceline/batcher/scheduling/state/state";
import { answered, call, newPool, report } from "@faceline/batcher/testing/fixtures";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import type { Batch } from "@faceline/contracts/wire/batch";
import { Random } from "./random.ts";

// Short random histories of a pool: calls arrive, workers run, fail, fall silent, come back with late
// answers, and calls are cancelled; some images are heavy to prepare. In every interleaving each task ends
// exactly once, no worker has more than one batch running, one staged and one heavy batch staged beside it,
// and in the end nothing is kept. Replay one seed with SEED=417.

test("every task that arrives ends exactly once, whatever happens to its workers", () => {
  for (const seed of seedsOf(300)) runHistory(seed);
});

function runHistory(seed: number): void {
  const source = new Random(seed);
  const random = () => source.next();
  const pick = (below: number) => source.below(below);
  const pool = newPool({ laneWaitingMax: 40 });
  const arrived = new Set<string>();
  const ended = new Map<string, number>();
  const workers = ["w1", "w2", "w3"].map((name, partition) => ({
    name,
    partition,
    held: [] as Batch[],
    done: [] as string[],
    silentUntil: 0,
  }));
  let now = 1_000;
  let calls = 0;

  const handle = (event: Event): void => {
    for (const move of decide(pool, event, now)) {
      if (move.kind === "ended") for (const task of move.tasks) ended.set(task, (ended.get(task) ?? 0) + 1);
      if (move.kind === "answer") ended.set(move.task.id, (ended.get(move.task.id) ?? 0) + 1);
      if (move.kind === "dispatch") workers[move.partition]!.held.push(move.batch);
    }
    for (const worker of workers) {
      const live = [...pool.sent.values()].filter(
        (each) => each.worker === `inference-${worker.name}` && each.phase.kind !== "lost",
      );
      const heavy = live.filter(({ load }) => load?.isHeavy).length;
      const counts = `seed ${seed}: ${worker.name} has ${live.length} batches, ${heavy} of them heavy`;
      assert.ok(live.length <= 3 && heavy <= 2 && live.length - heavy <= 2, counts);
    }
  };
  const sendReport = (worker: (typeof workers)[number]): void => {
    const [running, ...staged] = worker.held;
    handle(
      report(worker.name, {
        partition: worker.partition,
        staged,
        finished: worker.done.slice(-16).map((id) => ({
          ...answered({ id, tasks: [1] }),
          end: id.endsWith("!") ? "failed" : "answered",
          batch: id.replace("!", "") as never,
        })),
        ...(running === undefined ? {} : { running: { batch: running, startedAt: now, endsAt: now + 12 } }),
      }),
    );
  };

  for (let step = 0; step < 400; step++) {
    now += pick(30);
    const worker = workers[pick(3)]!;
    const chance = random();
    if (chance < 0.3 && step < 300) {
      const name = `c${calls++}`;
      const count = 1 + pick(5);
      for (let index = 0; index < count; index++) arrived.add(`${name}/nnnnnnnnnnnnnnnn/${index}`);
      const cost = random() < 0.2 ? 10 : 1;
      handle(call(name, count, { now, deadlineAt: now + 50 + pick(4_000), cost }));
    } else if (chance < 0.35 && calls > 0)
      handle({ kind: "cancel", call: `c${pick(calls)}/nnnnnnnnnnnnnnnn` as never });
    else if (chance < 0.37) worker.silentUntil = now + pick(3_000);
    else if (chance < 0.9 && worker.silentUntil <= now) {
      const batch = worker.held.shift();
      if (batch !== undefined) worker.done.push(random() < 0.05 ? `${batch.id}!` : batch.id);
      sendReport(worker);
    } else handle({ kind: "timer" });
  }
  // All workers come back, and everything that can still end does.
  for (let round = 0; round < 200; round++) {
    now += 50;
    for (const worker of workers) {
      const batch = worker.held.shift();
      if (batch !== undefined) worker.done.push(batch.id);
      sendReport(worker);
    }
  }
  const notOnce = [...arrived].filter((task) => ended.get(task) !== 1);
  assert.deepEqual(notOnce, [], `seed ${seed}: ended other than once`);
  assert.equal(pool.open.size, 0, `seed ${seed}: tasks are kept`);
  assert.equal(pool.sent.size, 0, `seed ${seed}: batches are kept`);
}
