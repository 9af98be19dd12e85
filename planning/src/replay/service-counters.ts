import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";

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
    const bySize = (counter: "runs" | "runSeconds") => {
      const since = new Map<number, number>();
      for (const [port, counters] of after.entries()) {
        for (const [size, value] of counters[counter]) {
          const more = value - (before[port]![counter].get(size) ?? 0);
          since.set(size, (since.get(size) ?? 0) + more);
        }
      }
      return since;
    };
    const runsBySize = bySize("runs");
    const meanRunMs: Record<number, number> = {};
    for (const [size, seconds] of bySize("runSeconds")) {
      const runs = runsBySize.get(size) ?? 0;
      if (runs > 0) meanRunMs[size] = (1_000 * seconds) / runs;
    }
    return {
      meanBatch: batches === 0 ? undefined : since(`${batchSize}_sum`) / batches,
      utilisation: workers === 0 ? undefined : (1_000 * since(`${runDuration}_sum`)) / (workers * forMs),
      runsBySize,
      meanRunMs,
      forMs,
    };
  };
}

async function readCounters(port: string, token: string | undefined): Promise<Counters> {
  const url = new URL("/metrics", port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) }).catch(
    (cause: Error) => {
      throw new Error(`${url.href} cannot be read: ${cause.message}`, { cause });
    },
  );
  if (!reply.ok) {
    const remedy =
      reply.status === 401 ? "give the operators' token by --token-file" : "is it an operators' port?";
    throw new Error(`${url.href} answered ${reply.status}; ${remedy}`);
  }
  return countersIn(await reply.text());
}

/** Parses a Prometheus page: the sum of each series over its labels, and the runs by their padded size. */
function countersIn(page: string): Counters {
  const counters: Counters = { sums: new Map(), runs: new Map(), runSeconds: new Map() };
  const add = <Key>(map: Map<Key, number>, key: Key, value: number) =>
    map.set(key, (map.get(key) ?? 0) + value);
  for (const [, name, labels = "", value] of page.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    add(counters.sums, name!, Number(value));
    const [, size] = /bucket="(\d+)"/.exec(labels) ?? [];
    if (size === undefined) continue;
    if (name === `${runDuration}_count`) add(counters.runs, Number(size), Number(value));
    if (name === `${runDuration}_sum`) add(counters.runSeconds, Number(size), Number(value));
  }
  return counters;
}

const batchSize = prometheusName("faceline.batch.size");
const runDuration = prometheusName("faceline.run.duration");
/** A gauge of workers that is there before the first run. */
const runningTasks = prometheusName("faceline.run.tasks");
const requestMs = 5_000;

/** `runs` and `runSeconds`: by the size that the batch was padded to. */
type Counters = { sums: Map<string, number>; runs: Map<number, number>; runSeconds: Map<number, number> };

/** What a service did for a while; undefined where no port of that kind was read. */
export type ServiceCounts = {
  /** Mean tasks of a batch. */
  meanBatch: number | undefined;
  /** Share of the workers' time in which they ran batches. */
  utilisation: number | undefined;
  /** Runs by the size that their batch was padded to. */
  runsBySize: ReadonlyMap<number, number>;
  /** Mean ms of a run, by that size. */
  meanRunMs: Readonly<Record<number, number>>;
  /** How long that was. */
  forMs: number;
};
