import assert from "node:assert/strict";
import { test } from "node:test";
import { decodingBytesMax } from "@faceline/images/decoding-bytes";
import { readLaunchOptions } from "./settings.ts";
import { defaultWorkers, threadsPerWorker } from "./worker-count.ts";

const gib = 2 ** 30;
const decodingBytes = 2 * decodingBytesMax;

test("each core has a worker; on larger machines two cores are left for other processes", () => {
  const workers = (cores: number) =>
    defaultWorkers({ onCpu: true, workersMax: 16, decodingBytes }, { cores, memoryBytes: 64 * gib });
  // More cores never mean fewer workers.
  assert.deepEqual([1, 2, 4, 5, 6, 7, 8, 64].map(workers), [1, 2, 4, 4, 4, 5, 6, 16]);
});

test("threads and memory bound the number of workers", () => {
  const demand = { onCpu: true, threads: 4, workersMax: 16, decodingBytes };
  assert.equal(defaultWorkers(demand, { cores: 16, memoryBytes: 64 * gib }), 3);
  assert.equal(
    defaultWorkers({ onCpu: true, workersMax: 16, decodingBytes }, { cores: 16, memoryBytes: 4 * gib }),
    2,
  );
  assert.equal(
    defaultWorkers({ onCpu: true, workersMax: 16, decodingBytes }, { cores: 16, memoryBytes: gib / 2 }),
    1,
  );
});

test("a worker is planned with the memory of the largest images that it may decode at a time", () => {
  const workers = (decodingBytes: number) =>
    defaultWorkers({ onCpu: true, workersMax: 16, decodingBytes }, { cores: 4, memoryBytes: 4 * gib });
  // 400 MiB without, of half the memory.
  assert.deepEqual([0, gib / 2, gib, 2 * gib].map(workers), [4, 2, 1, 1]);
});

test("a GPU has one worker, and a modelled engine too", () => {
  assert.equal(readLaunchOptions([], { EXECUTION_PROVIDER: "cuda" }).workers, 1);
  assert.equal(readLaunchOptions(["--engine", "model:40+2b"], {}).workers, 1);
  assert.equal(readLaunchOptions(["--workers", "3", "--engine", "model:40+2b"], {}).workers, 3);
  assert.equal(
    readLaunchOptions([], {}).workers,
    defaultWorkers({ onCpu: true, workersMax: 16, decodingBytes }),
  );
});

test("the cores are divided among the workers, with at least one thread each", () => {
  assert.equal(threadsPerWorker(1, 8), 8);
  assert.equal(threadsPerWorker(3, 8), 2);
  assert.equal(threadsPerWorker(16, 8), 1);
});
