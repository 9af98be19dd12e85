import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { engineMsIn, engineThreadsMs } from "./engine-threads.ts";

test("the CPU time of a thread counts if it is an engine's", () => {
  const statOf = (name: string) => `71 (${name}) R 1 2 3 0 -1 64 5 0 0 0 120 3 0 0 20 0 1 0 900`;
  assert.equal(engineMsIn(statOf("engine")), 1_230);
  assert.equal(engineMsIn(statOf("an engine) R 1")), undefined);
});

const isLinux = process.platform === "linux";

test("the threads of engines on this machine are found by their name", { skip: !isLinux }, async () => {
  const before = engineThreadsMs() ?? 0;
  const source = `const { parentPort } = require("node:worker_threads");
    while (process.cpuUsage().user < 200_000);
    parentPort.postMessage("busy"); setInterval(() => {}, 1_000);`;
  const thread = new Worker(source, { eval: true, name: "engine" });
  await new Promise((resolve) => thread.once("message", resolve));
  assert.ok(engineThreadsMs()! > before);
  await thread.terminate();
});
