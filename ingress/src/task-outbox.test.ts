import assert from "node:assert/strict";
import test, { mock, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { coreWaits } from "@faceline/runtime/starvation";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { openTaskOutbox, type SendFailed } from "./task-outbox.ts";

const tasks = {} as CallTasks;
const producer = { send: async () => {}, isResponsive: () => true, isStarved: () => false };
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

test("a send in vain says whether this process had too little CPU to blame Kafka, and the link does if it is down", async (t) => {
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", 0.75 * performance.now()]]));
  const isStarved = (parts: Partial<typeof producer>) =>
    openTaskOutbox({ producer: { ...producer, ...parts }, requestMs: 20 })
      .send("default", tasks)
      .then(
        () => assert.fail("sent"),
        (error: SendFailed) => error.isStarved,
      );
  const send = () => new Promise<never>(() => {});
  const failLate = (message: string) => () =>
    sleep(40).then(() => {
      throw new Error(message);
    });
  assert.equal(await isStarved({ send }), true);
  assert.equal(await isStarved({ send: failLate("not the leader") }), true);
  assert.equal(await isStarved({ send: failLate("connect ECONNREFUSED") }), false);
  for (const starved of [true, false]) {
    const down = { isResponsive: () => false, isStarved: () => starved };
    assert.equal(await isStarved(down), starved);
    const lost = {
      ...down,
      isResponsive: mock.fn(
        () => false,
        () => true,
        { times: 1 },
      ),
    };
    assert.equal(await isStarved({ ...lost, send }), starved);
  }
});

/** Each of these milliseconds is a turn of the event loop for the timers. */
async function pass(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed++) t.mock.timers.tick(1);
  await new Promise(setImmediate);
}
