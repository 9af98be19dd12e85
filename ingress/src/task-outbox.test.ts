import assert from "node:assert/strict";
import test from "node:test";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { openTaskOutbox } from "./task-outbox.ts";

const tasks = {} as CallTasks;

test("whoever waits behind a send that hangs is refused after his own time, and who comes then at once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  const probe = Promise.withResolvers<boolean>();
  const outbox = openTaskOutbox({
    producer: { send: () => (++asked, new Promise(() => {})) },
    reachable: () => probe.promise,
    requestMs: 1_000,
  });
  t.after(() => outbox[Symbol.dispose]());
  const refused: string[] = [];
  const post = (name: string) => void outbox.send("default", tasks).catch(() => refused.push(name));
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  post("first");
  t.mock.timers.tick(999);
  post("second");
  await settled();
  assert.deepEqual(refused, []);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(refused, ["first"]);
  post("third");
  await settled();
  assert.deepEqual([refused, asked], [["first", "third"], 2]);
  t.mock.timers.tick(999);
  await settled();
  assert.deepEqual(refused, ["first", "third", "second"]);

  probe.resolve(true);
  await settled();
  post("fourth");
  assert.equal(asked, 3);
});
