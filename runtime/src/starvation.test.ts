import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { platform } from "node:process";
import test, { type TestContext } from "node:test";
import { type CoreWaits, coreWaits, HangTimeout, Stopwatch } from "./starvation.ts";

const waits = (...ofThreads: number[]) => new Map(ofThreads.map((waitMs, thread) => [`${thread}`, waitMs]));

test("what counts of a wait, and whether the load is to blame for it", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  for (const [elapsedMs, before, after, ranMs, isStarved] of [
    [1_000, waits(100), waits(100), 1_000, false],
    [1_000, waits(100), waits(349), 751, false],
    [1_000, waits(100), waits(350), 750, true],
    [1_000, waits(100), waits(850), 250, true],
    // A quarter counts in any case. A reading may be older than the wait.
    [1_000, waits(100), waits(1_090), 250, true],
    [1_000, waits(100), waits(1_300), 250, true],
    [30, waits(100), waits(119), 11, false],
    // Of several threads the one counts that waited longest, and a new one from its beginning.
    [1_000, waits(100, 900), waits(500, 910), 600, true],
    [1_000, waits(100, 900), waits(110, 1_300), 600, true],
    [1_000, waits(100), waits(100, 70), 930, false],
    // Threads may have ended.
    [1_000, waits(100, 900), waits(130), 970, false],
    [1_000, waits(100), waits(), 1_000, false],
    // The system does not tell.
    [1_000, waits(), waits(800), 1_000, false],
  ] as const) {
    let current: CoreWaits = before;
    now = 0;
    const stopwatch = new Stopwatch(() => current);
    now = elapsedMs;
    current = after;
    assert.deepEqual(
      [stopwatch.ranMs, stopwatch.isStarved],
      [ranMs, isStarved],
      `${elapsedMs}, ${[...after.values()].join()}`,
    );
  }
});

test("a timeout comes after its time without a wait for a core, and after four times as long at the latest", async (t) => {
  for (const [waitedShare, afterMs] of [
    [0, 40],
    [1 / 2, 80],
    [1, 160],
  ] as const) {
    const { pass, timeouts } = simulated(t, waitedShare);
    using timeout = new HangTimeout(40, timeouts.add);
    await pass(afterMs - 10);
    assert.equal(timeouts.count, 0, `${waitedShare}`);
    await pass(20);
    assert.deepEqual([timeouts.count, timeout.isStarved], [1, waitedShare > 0], `${waitedShare}`);
    t.mock.reset();
  }
});

test("turns of the event loop that take long count as usual ones, and sockets are read after the last", async (t) => {
  const { block, timeouts } = simulated(t, 0);
  using _timeout = new HangTimeout(40, timeouts.add);
  for (const blockedMs of [10, 4_000, 10]) block(blockedMs);
  await new Promise(setImmediate);
  assert.equal(timeouts.count, 0);
  block(10);
  assert.equal(timeouts.count, 0);
  await new Promise(setImmediate);
  assert.equal(timeouts.count, 1);
});

test("after its end a timeout does nothing, not even while sockets are read for the last time", async (t) => {
  const { block, timeouts } = simulated(t, 0);
  new HangTimeout(40, timeouts.add)[Symbol.dispose]();
  const late = new HangTimeout(40, timeouts.add);
  for (let part = 0; part < 4; part++) block(10);
  late[Symbol.dispose]();
  await new Promise(setImmediate);
  assert.equal(timeouts.count, 0);
});

const isLinux = platform === "linux";

test("a thread of decoders that shares a core with a busy process is starved", {
  skip: !isLinux,
}, async (t) => {
  const [, core] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))!;
  const start = (...command: string[]) => {
    const child = spawn("taskset", ["-c", core!, ...command], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    return child;
  };
  start(process.execPath, "-e", "for (;;);");
  const program = `
    import { pbkdf2 } from "node:crypto";
    import { coreWaits, Stopwatch } from ${JSON.stringify(new URL("./starvation.ts", import.meta.url).href)};
    const stopwatch = new Stopwatch(coreWaits.allThreads);
    pbkdf2("a", "b", 2 ** 31 - 1, 64, "sha512", () => {});
    setInterval(() => stopwatch.elapsedMs > 500 && stopwatch.isStarved && console.log("starved"), 100);`;
  // It gets about a tenth of the core.
  const child = start("nice", "-n", "10", process.execPath, "--input-type=module", "-e", program);
  await once(child.stdout, "data");
});

test("the waits of a process that has ended are unknown", () => {
  assert.equal(coreWaits.allThreads(-1).size, 0);
});

/** Simulated time, of which the main thread waits for a core for this share. */
function simulated(t: TestContext, waitedShare: number) {
  let now = 0;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => now);
  t.mock.method(coreWaits, "mainThread", () => waits(waitedShare * now));
  const timeouts = { count: 0, add: () => void timeouts.count++ };
  /** One turn of the event loop that takes so long. */
  const block = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const pass = async (ms: number) => {
    for (let i = 0; i < ms; i++) block(1);
    await new Promise(setImmediate);
  };
  return { block, pass, timeouts };
}
