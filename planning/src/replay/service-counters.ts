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
    const since = (counter: "batches" | "tasks" | "runSeconds") =>
      after.reduce(
        (sum, counters, index) => sum + (counters[counter] ?? 0) - (before[index]![counter] ?? 0),
        0,
      );
    const workers = after.filter(({ isWorker }) => isWorker).length;
    const batches = since("batches");
    return {
      meanBatch: batches === 0 ? undefined : since("tasks") / batches,
      utilisation: workers === 0 ? undefined : (1_000 * since("runSeconds")) / (workers * forMs),
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

/** Parses a Prometheus page: the sum of each series over its labels. */
function countersIn(page: string): Counters {
  const sums = new Map<string, number>();
  for (const [, name, value] of page.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)) {
    sums.set(name!, (sums.get(name!) ?? 0) + Number(value));
  }
  const size = prometheusName("faceline.batch.size");
  const run = prometheusName("faceline.run.duration");
  return {
    batches: sums.get(`${size}_count`),
    tasks: sums.get(`${size}_sum`),
    runSeconds: sums.get(`${run}_sum`),
    // The gauge is there before the first run.
    isWorker: sums.has(prometheusName("faceline.run.tasks")),
  };
}

const requestMs = 5_000;

type Counters = {
  batches: number | undefined;
  tasks: number | undefined;
  runSeconds: number | undefined;
  isWorker: boolean;
};

/** What a service did for a while; undefined where no port of that kind was read. */
export type ServiceCounts = {
  /** Mean tasks of a batch. */
  meanBatch: number | undefined;
  /** Share of the workers' time in which they ran batches. */
  utilisation: number | undefined;
};
