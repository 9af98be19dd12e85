import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { processMemoryIsReadable } from "@faceline/testing/process-memory";
import { busyOf, measureThreads, memoryMib, parseStat, processes, sumCpu } from "./processes.ts";

test("CPU time is user and system time of a process and its ended children, also with brackets in its name", () => {
  const stat =
    "4711 (odd) name) S 1 4700 4700 0 -1 4194304 100 0 0 0 250 50 30 20 20 0 11 0 8000 1000000 500 18446744073709551615";
  assert.deepEqual(parseStat(stat), {
    name: "odd) name",
    group: 4700,
    ownSeconds: 3,
    seconds: 3.5,
  });
});

test("CPU time of a thread counts by its name and that of its process, from the beginning of a measurement", {
  skip: process.platform !== "linux",
}, async () => {
  const used = measureThreads({ here: process.pid });
  const spin = "for (const until = performance.now() + 200; performance.now() < until; );";
  const worker = new Worker(spin + "setInterval(() => {}, 1e6)", { eval: true, name: "spinner" });
  await once(worker, "online");
  while ((used()!["here spinner"] ?? 0) < 0.05) await setImmediate();
  assert.ok(measureThreads({ here: process.pid })()!["here spinner"]! <= 0.15);
  await worker.terminate();
});

test("a machine is busy with programs, interrupts and its hypervisor, not while it waits", () => {
  const stat = "cpu  100 200 300 9000 8000 10 20 30 40 50\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  assert.equal(busyOf(stat), 6.6);
});

test("CPU times add up by name, and are unknown when one of them is", () => {
  assert.deepEqual(sumCpu([{ a: 1, b: 2 }, { a: 3 }]), { a: 4, b: 2 });
  assert.equal(sumCpu([{ a: 1 }, null]), null);
});

test("resident memory is that of all processes of a group, and a group that has ended has none", {
  skip: !processMemoryIsReadable,
}, () => {
  const { group } = processes().find(({ pid }) => pid === process.pid)!;
  const own = process.memoryUsage().rss / 2 ** 20;
  const { here = 0, gone } = memoryMib({ here: group, gone: 2 ** 30 }, "Rss")!;
  assert.ok(here > own / 2, `${here} MiB beside ${own}`);
  assert.equal(gone, undefined);
});
