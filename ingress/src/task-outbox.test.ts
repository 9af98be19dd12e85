import assert from "node:assert/strict";
import test from "node:test";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { openTaskOutbox } from "./task-outbox.ts";

const tasks = {} as CallTasks;

test("a send behind one that hangs fails after its own time limit, and a later one at once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let sends = 0;
  const probe = Promise.withResolvers<boolean>();
  const outbox = openTaskOutbox({
    producer: { send: () => (++sends, new Promise(() => {})) },
    isReachable: () => probe.promise,
    requestMs: 1_000,
  });
  t.after(() => outbox[Symbol.dispose]());
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
  post("third");
  await settled();
  assert.deepEqual([failed, sends], [["first", "third"], 2]);
  t.mock.timers.tick(999);
  await settled();
  assert.deepEqual(failed, ["first", "third", "second"]);

  probe.resolve(true);
  await settled();
  post("fourth");
  assert.equal(sends, 3);
});
