import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { readFromPort } from "./operators-port.ts";
import type { RunCounts } from "./run-counts.ts";

/**
 * Begins to count what the service does, by the metrics of its processes' operators' ports. Returns a
 * function that says what was counted since. Batcher and workers are needed, each once; an ingress counts
 * nothing here. Throws an Error with a sentence where a port does not answer.
 */
export async function watchService(
  ports: readonly string[],
  token?: string,
): Promise<() => Promise<ServiceCounts>> {
  const read = () => Promise.all(ports.map((port) => readCounters(port, token)));
  const startedAt = performance.now();
  const before = await read();
  return async () => {
    const after = await read();
    const forMs = performance.now() - startedAt;
    const since = (name: string) =>
      after.reduce(
        (sum, { sums }, port) => sum + (sums.get(name) ?? 0) - (before[port]!.sums.get(name) ?? 0),
        0,
      );
    const workers = after.filter(({ sums }) => sums.has(runningTasks)).length;
    const batches = since(`${batchSize}_count`);
    return {
      meanBatch: batches === 0 ? undefined : since(`${batchSize}_sum`) / batches,
      utilisation: workers === 0 ? undefined : (1_000 * since(`${runDuration}_sum`)) / (workers * forMs),
      runs: runsSince(before, after),
      forMs,
    };
  };
}

/** What was counted of runs between two readings of the same ports. */
function runsSince(before: readonly Counters[], after: readonly Counters[]): RunCounts[] {
  const runs = new Map<string, RunCounts>();
  for (const [port, counters] of after.entries()) {
    for (const [key, now] of counters.runs) {
      const earlier = before[port]!.runs.get(key) ?? noRuns;
      // A process that was started again counts from 0.
      const { count, ms, cpuMs = 0 } = now.count < earlier.count ? noRuns : earlier;
      if (now.count === count) continue;
      const sum = runs.get(key) ?? { ...now, ...noRuns };
      runs.set(key, {
        ...sum,
        count: sum.count + now.count - count,
        ms: sum.ms + now.ms - ms,
        cpuMs: sum.cpuMs === undefined || now.cpuMs === undefined ? undefined : sum.cpuMs + now.cpuMs - cpuMs,
      });
    }
  }
  return [...runs.values()];
}

async function readCounters(port: string, token: string | undefined): Promise<Counters> {
  const reply = await readFromPort(port, "/metrics", token);
  return countersIn(await reply.text());
}

/** Parses a Prometheus page: the sum of each series over its labels, and the runs of each lane and size. */
function countersIn(page: string): Counters {
  const counters: Counters = { sums: new Map(), runs: new Map() };
  for (const [, name, labels = "", value] of page.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    counters.sums.set(name!, (counters.sums.get(name!) ?? 0) + Number(value));
    const field = runFields.get(name!);
    if (field === undefined) continue;
    const [lane, size] = [labelIn(labels, "lane"), labelIn(labels, "bucket")];
    const key = `${lane} ${size}`;
    const runs = counters.runs.get(key) ?? {
      ...noRuns,
      lane: lane as LaneId,
      size: Number(size),
      cpuMs: undefined,
    };
    counters.runs.set(key, { ...runs, [field]: field === "count" ? Number(value) : 1_000 * Number(value) });
  }
  return counters;
}

const labelIn = (labels: string, name: string): string | undefined =>
  new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];

const batchSize = prometheusName("faceline.batch.size");
const runDuration = prometheusName("faceline.run.duration");
const runFields = new Map<string, "count" | "ms" | "cpuMs">([
  [`${runDuration}_count`, "count"],
  [`${runDuration}_sum`, "ms"],
  [prometheusName("faceline.run.cpu.time"), "cpuMs"],
]);
/** A gauge of workers that is there before the first run. */
const runningTasks = prometheusName("faceline.run.tasks");

const noRuns = { count: 0, ms: 0, cpuMs: 0 };

/** `runs`: by lane and size. */
type Counters = { sums: Map<string, number>; runs: Map<string, RunCounts> };

/** What a service did for a while; undefined where no port of that kind was read. */
export type ServiceCounts = {
  /** Mean tasks of a batch. */
  meanBatch: number | undefined;
  /** Share of the workers' time in which they ran batches. */
  utilisation: number | undefined;
  runs: readonly RunCounts[];
  /** How long that was. */
  forMs: number;
};
