import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import test from "node:test";
import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { revision, version } from "../resource.ts";
import { OtlpConfig } from "../otlp-config.ts";
import { openMetrics } from "./open-metrics.ts";
import { observeProcess } from "./process-metrics.ts";

test("a process shows what it runs, its CPU time, its heap by space, and pauses of garbage collection", async () => {
  const log = openLog("test", "silent");
  const options = { config: readConfig(OtlpConfig, {}), page: true, service: "batcher", id: "1", log };
  await using metrics = await openMetrics(options);
  using _observed = observeProcess(metrics, { redis: { memoryUse: undefined }, tracing: { lostSpans: 2 } });
  const gcPauses = /^v8js_gc_duration_seconds_count\{v8js_gc_type="(minor|major|incremental)"\} [1-9]/m;
  // Garbage of some generations of the heap.
  let garbage: unknown[] = [];
  for (let i = 0; i < 5_000 && !gcPauses.test(await metrics.page()); i++) {
    garbage = Array.from({ length: 10_000 }, () => ({ i }));
    await setImmediate();
  }
  assert.ok(garbage.length > 0);
  const page = await metrics.page();
  for (const pattern of [
    gcPauses,
    /^process_cpu_time_seconds_total\{cpu_mode="user"\} (0\.\d*[1-9]|[1-9])/m,
    /^process_cpu_time_seconds_total\{cpu_mode="system"\} /m,
    /^process_memory_usage_bytes \d{7,}/m,
    /^v8js_memory_heap_used_bytes\{v8js_heap_space_name="old_space"\} \d{6,}/m,
    /^v8js_memory_heap_limit_bytes\{v8js_heap_space_name="new_space"\} \d{6,}/m,
    /^nodejs_eventloop_utilization_ratio (0|1|0\.\d+)$/m,
    /^faceline_spans_lost_total 2$/m,
  ]) {
    assert.match(page, pattern);
  }
  const labels = `version="${version}",revision="${revision ?? "unknown"}"`;
  assert.ok(page.includes(`faceline_build_info{${labels}} 1\n`));
});
