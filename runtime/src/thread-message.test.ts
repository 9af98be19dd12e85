import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { firstMessage } from "./thread-message.ts";

const thread = (code: string) => new Worker(code, { eval: true });

test("the first message of a thread is returned", async () => {
  const code = `require("node:worker_threads").parentPort.postMessage([1, 2])`;
  assert.deepEqual(await firstMessage(thread(code), "nothing was made"), [1, 2]);
});

test("a thread that exits without a message, or fails, is an error for its reader", async () => {
  await assert.rejects(
    firstMessage(thread("process.exit(0)"), "nothing was made"),
    /^Error: nothing was made$/,
  );
  await assert.rejects(
    firstMessage(thread(`throw new Error("broken")`), "nothing was made"),
    /^Error: broken$/,
  );
});
