import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "./child.ts";
import { Supervisor, type Watch } from "./supervisor.ts";

// Stand-ins for services: what a service does at the launcher's end of the line, in a few words of script.
const serves = `process.send({ kind: "ready" }); setInterval(() => {}, 1000);`;
const stubborn = `process.on("SIGTERM", () => {}); ${serves}`;

test("a program that is ready runs until it is stopped", async (t) => {
  const { supervisor, said } = supervise(t, serves);
  await supervisor.start();
  const { pid } = supervisor;
  assert.ok(pid !== undefined && isRunning(pid));
  await supervisor.stop();
  assert.ok(!isRunning(pid));
  assert.deepEqual(said, []);
});

test("a program that ends before it is ready is a fault, with what it printed last", async (t) => {
  const { supervisor } = supervise(t, `console.error("no model here"); process.exitCode = 3;`);
  await assert.rejects(supervisor.start(), {
    message: "service-1 ended with exit code 3. Its last lines:\n  no model here",
  });
});

test("a program that is never ready is a fault, and can still be stopped", async (t) => {
  const { supervisor } = supervise(t, "setInterval(() => {}, 1000);", { readyWithinMs: 300 });
  await assert.rejects(supervisor.start(), /service-1 was not ready within 300 ms/);
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
});

test("a program that dies is reported and started again", async (t) => {
  const { supervisor, said } = supervise(t, serves);
  await supervisor.start();
  const first = supervisor.pid;
  supervisor.kill("SIGKILL");
  await until(() => said.length === 2);
  assert.notEqual(supervisor.pid, first);
  assert.deepEqual(said, ["service-1 was ended by SIGKILL; it starts again in 10 ms", "service-1 is back"]);
  await supervisor.stop();
});

test("a program that does not stop is killed, and that is said", async (t) => {
  const { supervisor, said } = supervise(t, stubborn, { stopWithinMs: 200 });
  await supervisor.start();
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
  assert.deepEqual(said, ["service-1 did not stop in time and was killed"]);
});

test("who is in a hurry does not wait for it", async (t) => {
  const force = new AbortController();
  const { supervisor } = supervise(t, stubborn, { stopWithinMs: 60_000, force: force.signal });
  await supervisor.start();
  const stopped = supervisor.stop();
  force.abort();
  await stopped;
  assert.equal(supervisor.pid, undefined);
});

test("a stop while it waits to start again starts nothing", async (t) => {
  const { supervisor, said } = supervise(t, serves, {
    restart: { firstMs: 60_000, maxMs: 60_000, forgetMs: 60_000 },
  });
  await supervisor.start();
  supervisor.kill("SIGKILL");
  await until(() => said.length === 1);
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
});

test("what it prints is in its log file", async (t) => {
  const { supervisor, logs } = supervise(t, `console.log("one"); console.error("two"); ${serves}`);
  await supervisor.start();
  await supervisor.stop();
  const lines = readFileSync(join(logs, "service-1.log"), "utf8").trim().split("\n").toSorted();
  assert.deepEqual(lines, ["one", "two"]);
});

function supervise(t: TestContext, script: string, watch: Partial<Watch> = {}) {
  const logs = mkdtempSync(join(tmpdir(), "faceline-supervisor-"));
  const said: string[] = [];
  const program: Program = {
    name: "service-1",
    command: process.execPath,
    args: ["-e", script],
    env: {},
    ready: "message",
  };
  const never = new AbortController().signal;
  const supervisor = new Supervisor(program, {
    logs,
    readyWithinMs: 10_000,
    stopWithinMs: 10_000,
    restart: { firstMs: 10, maxMs: 10, forgetMs: 60_000 },
    say: (line) => said.push(line),
    heard: () => {},
    stop: never,
    force: never,
    ...watch,
  });
  t.after(async () => {
    supervisor.kill("SIGKILL");
    await supervisor.stop();
    rmSync(logs, { recursive: true });
  });
  return { supervisor, said, logs };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}
