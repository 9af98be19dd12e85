// Covered by deploy/e2e/metrics.stack.test.ts.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { bestEffortFailures } from "../best-effort.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { MemoryUse } from "../volatile-redis.ts";
import type { Metrics } from "./metrics.ts";

/** Observes what all processes have in common. `redis` is a connection to the volatile server. */
export function observeProcess(
  metrics: Metrics,
  {
    redis,
    tracing,
  }: {
    redis: { readonly memoryUse: MemoryUse | undefined };
    tracing: Pick<Tracing, "lostSpans">;
  },
): Disposable {
  if (!metrics.on) return { [Symbol.dispose]() {} };
  const startedAt = Date.now() / 1_000 - process.uptime();
  const { memoryUsage } = process;
  metrics.observe("process.start.time", () => [[startedAt, {}]]);
  metrics.observe("process.memory.resident", () => [[memoryUsage.rss(), {}]]);
  metrics.observe("faceline.background.failures", () =>
    [...bestEffortFailures()].map(([work, count]) => [count, { work }]),
  );
  metrics.observe("faceline.spans.lost", () => [[tracing.lostSpans, {}]]);
  const ofRedis = (value: (use: MemoryUse) => number) => (): [number, {}][] =>
    redis.memoryUse === undefined ? [] : [[value(redis.memoryUse), {}]];
  metrics.observe(
    "redis.memory.used",
    ofRedis((use) => use.usedBytes),
  );
  metrics.observe(
    "redis.memory.max",
    ofRedis((use) => use.maxBytes),
  );
  return observeEventLoop(metrics);
}

/** Percentiles of whole windows, however often somebody asks. */
function observeEventLoop(metrics: Metrics): Disposable {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let [p50, p99, max] = [0, 0, 0];
  const timer = setInterval(() => {
    // In nanoseconds, and the resolution is part of each value.
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3);
    [p50, p99, max] = [
      seconds(histogram.percentile(50)),
      seconds(histogram.percentile(99)),
      seconds(histogram.max),
    ];
    histogram.reset();
  }, windowMs);
  timer.unref();
  metrics.observe("nodejs.eventloop.delay.p50", () => [[p50, {}]]);
  metrics.observe("nodejs.eventloop.delay.p99", () => [[p99, {}]]);
  metrics.observe("nodejs.eventloop.delay.max", () => [[max, {}]]);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const windowMs = 10_000;
const resolutionMs = 20;
