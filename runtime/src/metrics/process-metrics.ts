import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { ProcessHealth } from "../../live/state.ts";
import type { Dependency } from "@faceline/contracts/http/dependency";
import { bestEffortFailures } from "../best-effort.ts";
import { revision, version } from "../resource.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { MemoryUse } from "../volatile-redis.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Observes what all processes have in common. `redis` is a connection to the volatile server. Where nobody
 * reads metrics, the event loop's delay is not measured.
 */
export function observeProcess(metrics: Metrics, sources: ProcessSources): ProcessObservation {
  const { redis } = sources;
  const loop = metrics.on ? observeEventLoop() : undefined;
  const collections = metrics.on ? observeCollections(metrics) : undefined;
  if (loop !== undefined) observeAll(metrics, sources, loop);
  return {
    health: () => ({
      memoryBytes: process.memoryUsage.rss(),
      delayMs: loop?.delayMs() ?? { p50: 0, p99: 0, max: 0 },
      ...(redis.memoryUse === undefined ? {} : { redis: redis.memoryUse }),
    }),
    [Symbol.dispose]() {
      loop?.[Symbol.dispose]();
      collections?.[Symbol.dispose]();
    },
  };
}

/** Observes whether the servers that this process depends on answer it. */
export const observeDependencies = (
  metrics: Metrics,
  read: () => Partial<Record<Dependency, boolean>>,
): void =>
  metrics.observe("faceline.dependency.up", () =>
    Object.entries(read()).map(([dependency, isUp]) => [Number(isUp), { dependency }]),
  );

type ProcessObservation = Disposable & {
  /** The same values for the live page. */
  health(): ProcessHealth;
};

type ProcessSources = {
  redis: { readonly memoryUse: MemoryUse | undefined };
  tracing: Pick<Tracing, "lostSpans">;
};

function observeAll(metrics: Metrics, { redis, tracing }: ProcessSources, loop: EventLoop): void {
  const startedAt = Date.now() / 1_000 - process.uptime();
  metrics.observe("faceline.build_info", () => [[1, { version, revision: revision ?? "unknown" }]]);
  metrics.observe("process.start.time", () => [[startedAt, {}]]);
  metrics.observe("process.memory.usage", () => [[process.memoryUsage.rss(), {}]]);
  metrics.observe("process.cpu.time", () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, { "cpu.mode": "user" }],
      [system / 1e6, { "cpu.mode": "system" }],
    ];
  });
  const ofHeap = (value: "space_used_size" | "space_size") => (): [number, HeapSpace][] =>
    getHeapSpaceStatistics().map((space) => [space[value], { "v8js.heap.space.name": space.space_name }]);
  metrics.observe("v8js.memory.heap.used", ofHeap("space_used_size"));
  metrics.observe("v8js.memory.heap.limit", ofHeap("space_size"));
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
  metrics.observe("nodejs.eventloop.delay.p50", () => [[loop.delayMs().p50 / 1_000, {}]]);
  metrics.observe("nodejs.eventloop.delay.p99", () => [[loop.delayMs().p99 / 1_000, {}]]);
  metrics.observe("nodejs.eventloop.delay.max", () => [[loop.delayMs().max / 1_000, {}]]);
  metrics.observe("nodejs.eventloop.utilization", () => [[loop.utilization(), {}]]);
}

/** Records the pauses of garbage collection. */
function observeCollections(metrics: Metrics): Disposable {
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as unknown as GcEntry[]) {
      const type = collections.get(detail.kind);
      if (type !== undefined) metrics.record("v8js.gc.duration", duration / 1_000, { "v8js.gc.type": type });
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return { [Symbol.dispose]: () => observer.disconnect() };
}

type GcEntry = { duration: number; detail: { kind?: number } };

const collections = new Map<number | undefined, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/**
 * Percentiles of whole windows, however often somebody asks. The delay is only measured while somebody does:
 * that wakes an idle process 50 times per second.
 */
function observeEventLoop(): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let delayMs = { p50: 0, p99: 0, max: 0 };
  let windowsLeft = 0;
  let before = performance.eventLoopUtilization();
  let { utilization } = before;
  const timer = setInterval(() => {
    if (windowsLeft > 0 && --windowsLeft === 0) histogram.disable();
    // In nanoseconds, and the resolution is part of each value.
    const milliseconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
    delayMs = {
      p50: milliseconds(histogram.percentile(50)),
      p99: milliseconds(histogram.percentile(99)),
      max: milliseconds(histogram.max),
    };
    histogram.reset();
    const now = performance.eventLoopUtilization();
    ({ utilization } = performance.eventLoopUtilization(now, before));
    before = now;
  }, windowMs);
  timer.unref();
  return {
    delayMs() {
      windowsLeft = windowsUnread;
      histogram.enable();
      return delayMs;
    },
    utilization: () => utilization,
    [Symbol.dispose]() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const windowMs = 10_000;
/** Most systems read metrics more often than every two minutes. */
const windowsUnread = 12;
const resolutionMs = 20;

type EventLoop = Disposable & { delayMs(): ProcessHealth["delayMs"]; utilization(): number };
type HeapSpace = { "v8js.heap.space.name": string };
