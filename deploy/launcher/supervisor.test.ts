import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { waitUntil } from "../testing/wait-until.ts";
import type { Program } from "./child.ts";
import { nextRestart, Supervisor, type SupervisorOptions } from "./supervisor.ts";

// Stand-ins for services: one-line scripts that behave like a service towards the launcher.
const readyScript = `process.send({ kind: "ready" }); setInterval(() => {}, 1000);`;
const ignoresSigterm = `process.on("SIGTERM", () => {}); ${readyScript}`;

test("a ready program runs until it is stopped", async (t) => {
  const { supervisor, printed } = supervise(t, readyScript);
  await supervisor.start();
  const { pid } = supervisor;
  assert.ok(pid !== undefined && isRunning(pid));
  await supervisor.stop();
  assert.ok(!isRunning(pid));
  assert.deepEqual(printed, []);
});

test("a program that ends before it is ready fails the start with its last output, but for information", async (t) => {
  const starting = {
    level: "info",
    time: "2026-11-26T10:00:00.000Z",
    service: "faceline-inference",
    msg: "starting",
  };
  const program = `console.log(${JSON.stringify(JSON.stringify(starting))}); console.error("no model here");`;
  const { supervisor } = supervise(t, `${program} process.exitCode = 3;`);
  await assert.rejects(supervisor.start(), {
    message: "service-1 ended with exit code 3. Its last lines:\n  no model here",
  });
});

test("a program that is not ready in time fails the start, and can still be stopped", async (t) => {
  const { supervisor } = supervise(t, "setInterval(() => {}, 1000);", { readyWithinMs: 300 });
  await assert.rejects(supervisor.start(), /service-1 was not ready within 300 ms/);
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
});

test("a program that has to repair its data has more time to become ready, and that is printed", async (t) => {
  const late = `setTimeout(() => process.send({ kind: "ready" }), 100); setInterval(() => {}, 1000);`;
  const { supervisor, printed } = supervise(t, late, { readyWithinMs: 1 }, () => true);
  await supervisor.start();
  await supervisor.stop();
  assert.deepEqual(printed, [
    "service-1 was not stopped cleanly and checks its data first, which may take 10 minutes",
  ]);
});

test("a program that dies is reported and restarted", async (t) => {
  const { supervisor, printed } = supervise(t, readyScript);
  await supervisor.start();
  const first = supervisor.pid;
  supervisor.kill("SIGKILL");
  await waitUntil("it is back", () => printed.length === 2);
  assert.notEqual(supervisor.pid, first);
  assert.deepEqual(printed, [
    "service-1 was ended by SIGKILL; it starts again in 10 ms",
    "service-1 is back",
  ]);
  await supervisor.stop();
});

test("a program that ignores SIGTERM is killed, and that is reported", async (t) => {
  const { supervisor, printed } = supervise(t, ignoresSigterm, { stopWithinMs: 200 });
  await supervisor.start();
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
  assert.deepEqual(printed, ["service-1 did not stop in time and was killed"]);
});

test("force kills a program without waiting", async (t) => {
  const force = new AbortController();
  const { supervisor } = supervise(t, ignoresSigterm, { stopWithinMs: 600_000, force: force.signal });
  await supervisor.start();
  const stopped = supervisor.stop();
  force.abort();
  await stopped;
  assert.equal(supervisor.pid, undefined);
});

test("a stop during the back-off starts nothing", async (t) => {
  const { supervisor, printed } = supervise(t, readyScript, {
    restart: { firstMs: 60_000, maxMs: 60_000, forgetMs: 60_000 },
  });
  await supervisor.start();
  supervisor.kill("SIGKILL");
  await waitUntil("its death is reported", () => printed.length === 1);
  await supervisor.stop();
  assert.equal(supervisor.pid, undefined);
});

test("the output is in the log file", async (t) => {
  const { supervisor, logs } = supervise(t, `console.log("one"); console.error("two"); ${readyScript}`);
  await supervisor.start();
  await supervisor.stop();
  const lines = readFileSync(join(logs, "service-1.log"), "utf8").trim().split("\n").toSorted();
  assert.deepEqual(lines, ["one", "two"]);
});

const limits = { firstMs: 250, maxMs: 1_000, forgetMs: 30_000 };

test("the wait doubles with each failure, up to the maximum", () => {
  assert.deepEqual(nextRestart(0, 10, limits), { failures: 1, afterMs: 250 });
  assert.deepEqual(nextRestart(1, 10, limits), { failures: 2, afterMs: 500 });
  assert.deepEqual(nextRestart(2, 10, limits), { failures: 3, afterMs: 1_000 });
  assert.deepEqual(nextRestart(3, 10, limits), { failures: 4, afterMs: 1_000 });
});

test("the count of failures is reset by a run of forgetMs, and thousands do not overflow the wait", () => {
  assert.deepEqual(nextRestart(9, 29_999, limits), { failures: 10, afterMs: 1_000 });
  assert.deepEqual(nextRestart(9, 30_000, limits), { failures: 1, afterMs: 250 });
  assert.equal(nextRestart(5_000, 0, limits).afterMs, 1_000);
});

function supervise(
  t: TestContext,
  script: string,
  options: Partial<SupervisorOptions> = {},
  repairs = () => false,
) {
  const logs = mkdtempSync(join(tmpdir(), "faceline-supervisor-"));
  const printed: string[] = [];
  const program: Program = {
    name: "service-1",
    command: process.execPath,
    args: ["-e", script],
    env: {},
    ready: "message",
    repairs,
  };
  const never = new AbortController().signal;
  const supervisor = new Supervisor(program, {
    logs,
    readyWithinMs: 600_000,
    stopWithinMs: 600_000,
    restart: { firstMs: 10, maxMs: 10, forgetMs: 60_000 },
    print: (line) => printed.push(line),
    stop: never,
    force: never,
    ...options,
  });
  t.after(async () => {
    supervisor.kill("SIGKILL");
    await supervisor.stop();
    rmSync(logs, { recursive: true });
  });
  return { supervisor, printed, logs };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
