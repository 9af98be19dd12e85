import assert from "node:assert/strict";
import { platform } from "node:process";
import test from "node:test";
import { coreWaits, longestWaitMs } from "./core-waits.ts";

const waits = (...ofThreads: number[]) => new Map(ofThreads.map((waitMs, thread) => [`${thread}`, waitMs]));

test("of several threads the one counts that waited longest, and a new one from its beginning", () => {
  const before = waits(100, 900);
  for (const [after, waitedMs] of [
    [waits(100, 900), 0],
    [waits(350, 910), 250],
    [waits(350, 1_300), 400],
    [waits(100, 900, 70), 70],
    // The second thread has ended.
    [waits(130), 30],
    [waits(), 0],
  ] as const) {
    assert.equal(longestWaitMs(before, after), waitedMs);
  }
});

test("where the system does not tell how long threads wait, none did", () => {
  assert.equal(longestWaitMs(waits(), waits(800)), 0);
  assert.equal(coreWaits.allThreads(-1).size, 0);
});

test("Linux tells it, of this process and of others", { skip: platform !== "linux" }, () => {
  for (const read of [coreWaits.mainThread(), coreWaits.allThreads(), coreWaits.allThreads(process.ppid)]) {
    assert.ok(read.size > 0);
    for (const waitMs of read.values()) assert.ok(waitMs >= 0, `${waitMs}`);
  }
});
