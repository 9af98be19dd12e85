import assert from "node:assert/strict";
import { test } from "node:test";
import { readLaunch } from "./settings.ts";
import { threadsEach, workersFor } from "./worker-count.ts";

const GIB = 2 ** 30;

test("a core has a worker; on larger machines two are left for everybody else", () => {
  const workers = (cores: number) =>
    workersFor({ onCpu: true, workersMax: 16 }, { cores, memoryBytes: 64 * GIB });
  // Never fewer for a core more.
  assert.deepEqual([1, 2, 4, 5, 6, 7, 8, 64].map(workers), [1, 2, 4, 4, 4, 5, 6, 16]);
});

test("threads that were asked for are counted, and so is the memory", () => {
  const wanted = { onCpu: true, threads: 4, workersMax: 16 };
  assert.equal(workersFor(wanted, { cores: 16, memoryBytes: 64 * GIB }), 3);
  assert.equal(workersFor({ onCpu: true, workersMax: 16 }, { cores: 16, memoryBytes: 4 * GIB }), 2);
  assert.equal(workersFor({ onCpu: true, workersMax: 16 }, { cores: 16, memoryBytes: GIB / 2 }), 1);
});

test("a GPU has one worker, and so has a modelled engine", () => {
  assert.equal(readLaunch([], { EXECUTION_PROVIDER: "cuda" }).workers, 1);
  assert.equal(readLaunch(["--engine", "model:40+2b"], {}).workers, 1);
  assert.equal(readLaunch(["--workers", "3", "--engine", "model:40+2b"], {}).workers, 3);
  assert.equal(readLaunch([], {}).workers, workersFor({ onCpu: true, workersMax: 16 }));
});

test("the cores are shared among the workers, one at the least", () => {
  assert.equal(threadsEach(1, 8), 8);
  assert.equal(threadsEach(3, 8), 2);
  assert.equal(threadsEach(16, 8), 1);
});
