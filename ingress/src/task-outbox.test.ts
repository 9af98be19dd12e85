import assert from "node:assert/strict";
import test, { mock, type TestContext } from "node:test";
import { coreWaits } from "@faceline/runtime/core-waits";
import { starvationOf } from "@faceline/runtime/starvation";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { openTaskOutbox } from "./task-outbox.ts";

const tasks = {} as CallTasks;
const producer = { send: async () => {}, isResponsive: () => true, starvation: () => undefined };
// The time of these tests is simulated.
mock.method(coreWaits, "mainThread", () => new Map());

test("a send behind one that hangs fails after its own time limit, and at once while no broker answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let sends = 0;
  let isResponsive = true;
  const outbox = openTaskOutbox({
    producer: { ...producer, send: () => (++sends, new Promise(() => {})), isResponsive: () => isResponsive },
    requestMs: 1_000,
  });
  const failed: string[] = [];
  const post = (name: string) => void outbox.send("default", tasks).catch(() => failed.push(name));

  post("first");
  await pass(t, 999);
  post("second");
  assert.deepEqual(failed, []);
  await pass(t, 1);
  assert.deepEqual(failed, ["first"]);
  isResponsive = false;
  post("third");
  await pass(t, 0);
  assert.deepEqual([failed, sends], [["first", "third"], 2]);
  await pass(t, 999);
  assert.deepEqual(failed, ["first", "third", "second"]);

  isResponsive = true;
  post("fourth");
  assert.equal(sends, 3);
});

test("a send that waits behind another while the event loop is blocked does not fail for that", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { promise: acknowledged, resolve } = Promise.withResolvers<void>();
  const outbox = openTaskOutbox({
    producer: { ...producer, send: () => acknowledged },
    requestMs: 1_000,
  });
  const sent = outbox.send("default", tasks);
  // Two turns of the event loop, in which the request before is answered, and then this one.
  t.mock.timers.tick(1_300);
  await pass(t, 0);
  t.mock.timers.tick(1_300);
  resolve();
  await sent;
});

test("a send in vain says whether this process had too little CPU, and so does one while no broker answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  let waitedMs = 0;
  t.mock.method(performance, "now", () => now);
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", waitedMs]]));
  const outbox = openTaskOutbox({
    producer: { ...producer, send: () => new Promise(() => {}) },
    requestMs: 1_000,
  });
  const starved = outbox.send("default", tasks).catch((error: unknown) => error);
  for (let part = 0; part < 10; part++) {
    now += 250;
    waitedMs += 150;
    t.mock.timers.tick(250);
  }
  await pass(t, 0);
  assert.deepEqual(starvationOf(await starved), { elapsedMs: 2_500, unableMs: 1_500 });

  const spent = { elapsedMs: 2_500, unableMs: 1_500 };
  const down = { ...producer, isResponsive: () => false, starvation: () => spent };
  const refused = await openTaskOutbox({ producer: down, requestMs: 1_000 })
    .send("default", tasks)
    .catch((error: unknown) => error);
  assert.equal(starvationOf(refused), spent);
});

/** Each of these milliseconds is a turn of the event loop for the timers. */
async function pass(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed++) t.mock.timers.tick(1);
  await new Promise(setImmediate);
}
