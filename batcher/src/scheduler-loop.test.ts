import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { coreWaits } from "@faceline/runtime/starvation";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import { call, newPool, report, taskIds } from "../testing/fixtures.ts";
import { BatchSpans } from "./batch-spans.ts";
import { SchedulerLoop, type SchedulerLoopParts } from "./scheduler-loop.ts";

test("a worker that falls silent is found without any event, and its batch goes to another", (t) => {
  const { loop, passMs, sent } = startLoop(t);
  loop.handle(report("w1", { partition: 1 }));
  loop.handle(call("a", 1, { now: 0 }));
  passMs(900);
  loop.handle(report("w2", { partition: 2 }));
  passMs(100);
  assert.deepEqual(
    sent.map(({ partition, batch }) => [partition, batch.attempt]),
    [
      [1, 1],
      [2, 2],
    ],
  );
});

test("a worker is not silent while the batcher has no core to read its reports", (t) => {
  const { loop, passMs, sent, waits } = startLoop(t);
  loop.handle(report("w1", { partition: 1 }));
  loop.handle(call("a", 1, { now: 0 }));
  for (let tick = 0; tick < 30; tick++) {
    waits.add(90);
    passMs(100);
  }
  loop.handle(report("w2", { partition: 2 }));
  passMs(100);
  assert.deepEqual(
    sent.map(({ partition }) => partition),
    [1],
  );
});

test("a batch that could not be sent waits again, and is sent without a further attempt", async (t) => {
  let failures = 1;
  const { loop, sent } = startLoop(t, {
    batches: {
      async send() {
        if (failures-- > 0) throw new Error("Kafka is away");
      },
    },
  });
  loop.handle(report("w1"));
  loop.handle(call("a", 1, { now: 0 }));
  await new Promise(setImmediate);
  assert.deepEqual(
    sent.map(({ batch }) => [taskIds(batch), batch.attempt]),
    [
      [["a/nnnnnnnnnnnnnnnn/0"], 1],
      [["a/nnnnnnnnnnnnnnnn/0"], 1],
    ],
  );
});

test("a refused task ends when its refusal is delivered, not before", (t) => {
  const deliveries: (() => void)[] = [];
  const { loop, ended } = startLoop(t, {
    answers: {
      async send(answers, _now, onEnded) {
        deliveries.push(() => onEnded(answers.map(({ task }) => task.id)));
      },
    },
  });
  loop.handle(report("w1", { sizes: [{ size: 1, runMs: 500 }] }));
  loop.handle(call("late", 1, { now: 0, deadlineAt: 100 }));
  assert.deepEqual(ended, []);
  for (const deliver of deliveries) deliver();
  assert.deepEqual(ended, ["late/nnnnnnnnnnnnnnnn/0"]);
});

test("a deadline that is months away does not make the wake timer fire at once", (t) => {
  const { loop } = startLoop(t);
  const delays: (number | undefined)[] = [];
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (run: () => void, delayMs?: number) => {
    delays.push(delayMs);
    return setTimeout(run, delayMs);
  });
  loop.handle(report("w1"));
  // The second call waits while the first runs.
  for (const id of ["a", "b"]) loop.handle(call(id, 1, { now: 0, deadlineAt: 90 * 24 * 3_600_000 }));
  assert.ok(delays.length > 0);
  assert.deepEqual(
    // Node turns a longer delay into 1 ms.
    delays.filter((delayMs) => delayMs! > 2 ** 31 - 1),
    [],
  );
});

test("events announce a change of the pool's state, and the passing of time does not", (t) => {
  const { loop, passMs, changes } = startLoop(t);
  loop.handle(report("w1"));
  passMs(1_000);
  assert.equal(changes(), 1);
});

function startLoop(t: TestContext, { batches, answers }: Partial<SchedulerLoopParts> = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let waitedMs = 0;
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", waitedMs]]));
  const sent: { partition: number; batch: Batch }[] = [];
  const ended: TaskId[] = [];
  let now = 0;
  t.mock.method(performance, "now", () => now);
  let changes = 0;
  const loop = new SchedulerLoop({
    state: newPool(),
    clock: { now: () => now },
    batches: {
      async send(partition, batch) {
        sent.push({ partition, batch });
        await batches?.send(partition, batch);
      },
    },
    answers: answers ?? { send: async () => {} },
    spans: new BatchSpans(tracingOff, "default"),
    poolState: { compare() {}, stateChanged: () => void changes++ },
    dedupedLog: { warn: () => {} },
  });
  loop.onEnded((tasks) => void ended.push(...tasks));
  t.after(() => loop[Symbol.asyncDispose]());
  return {
    loop,
    sent,
    ended,
    changes: () => changes,
    /** This process has had no core for so long. */
    waits: { add: (ms: number) => (waitedMs += ms) },
    passMs(ms: number) {
      for (let passed = 0; passed < ms; passed++) {
        now++;
        t.mock.timers.tick(1);
      }
    },
  };
}
