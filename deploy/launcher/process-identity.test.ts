import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { identify, readStat } from "./process-identity.ts";

test("the start time is found after the process name, whatever characters the name has", () => {
  const fields = Array.from({ length: 30 }, (_, i) => `${i}`).slice(3);
  assert.deepEqual(readStat(`1 (a) b (c)) S ${fields.join(" ")}`), { state: "S", startTicks: "21" });
});

test("a process keeps its identity, and has none after its end", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const identity = identify(child.pid!);
  assert.ok(identity !== undefined);
  assert.equal(identify(child.pid!), identity);
  assert.notEqual(identify(process.pid), identity);

  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(identify(child.pid!), undefined);
});
