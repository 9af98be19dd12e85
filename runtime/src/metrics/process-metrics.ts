import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ProcessHealth } from "../../live/state.ts";
import type { Dependency } from "@faceline/contracts/http/dependency";
import { bestEffortFailures } from "../best-effort.ts";
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
  if (loop !== undefined) observeAll(metrics, sources, loop);
  return {
    health: () => ({
      memoryBytes: process.memoryUsage.rss(),
      delayMs: loop?.delayMs() ?? { p50: 0, p99: 0, max: 0 },
      ...(redis.memoryUse === undefined ? {} : { redis: redis.memoryUse }),
    }),
    [Symbol.dispose]: () => loop?.[Symbol.dispose](),
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
  metrics.observe("nodejs.eventloop.delay.p50", () => [[loop.delayMs().p50 / 1_000, {}]]);
  metrics.observe("nodejs.eventloop.delay.p99", () => [[loop.delayMs().p99 / 1_000, {}]]);
  metrics.observe("nodejs.eventloop.delay.max", () => [[loop.delayMs().max / 1_000, {}]]);
}

/** Percentiles of whole windows, however often somebody asks. */
function observeEventLoop(): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let delayMs = { p50: 0, p99: 0, max: 0 };
  const timer = setInterval(() => {
    // In nanoseconds, and the resolution is part of each value.
    const milliseconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
    delayMs = {
      p50: milliseconds(histogram.percentile(50)),
      p99: milliseconds(histogram.percentile(99)),
      max: milliseconds(histogram.max),
    };
    histogram.reset();
  }, windowMs);
  timer.unref();
  return {
    delayMs: () => delayMs,
    [Symbol.dispose]() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const windowMs = 10_000;
const resolutionMs = 20;

type EventLoop = Disposable & { delayMs(): ProcessHealth["delayMs"] };
