import assert from "node:assert/strict";
import test from "node:test";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { openTaskOutbox } from "./task-outbox.ts";

const tasks = {} as CallTasks;

test("a send behind one that hangs fails after its own time limit, and at once while no broker answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let sends = 0;
  let isProved = true;
  const outbox = openTaskOutbox({
    producer: { send: () => (++sends, new Promise(() => {})), isProved: () => isProved },
    requestMs: 1_000,
  });
  const failed: string[] = [];
  const post = (name: string) => void outbox.send("default", tasks).catch(() => failed.push(name));
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  post("first");
  t.mock.timers.tick(999);
  post("second");
  await settled();
  assert.deepEqual(failed, []);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(failed, ["first"]);
  isProved = false;
  post("third");
  await settled();
  assert.deepEqual([failed, sends], [["first", "third"], 2]);
  t.mock.timers.tick(999);
  await settled();
  assert.deepEqual(failed, ["first", "third", "second"]);

  isProved = true;
  post("fourth");
  assert.equal(sends, 3);
});
