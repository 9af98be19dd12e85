import { probeDelayMs } from "../../tester/failure.ts";

/**
 * Asks again and again, with growing pauses, until there is a result. Undefined: it gave up, or `signal` is
 * aborted. `navigator.onLine` is not used: it is false on a host without a network, although the service runs
 * there.
 */
export async function askUntil<Result>(
  ask: () => Promise<Result | undefined>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  for (let probes = 0; ; probes++) {
    const delayMs = probeDelayMs(probes);
    if (delayMs === undefined) return undefined;
    await pause(delayMs, signal);
    if (signal?.aborted === true) return undefined;
    const result = await ask();
    if (result !== undefined) return result;
  }
}

/** Returns true if the service responds; undefined if it does not. */
export const isAlive = async (): Promise<true | undefined> =>
  (await readJson("/livez")) === undefined ? undefined : true;

/** Returns what the service says at a path; undefined without a good response within seconds. */
export async function readJson<Body>(path: string): Promise<Body | undefined> {
  try {
    const response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(probeMaxMs) });
    return response.ok ? ((await response.json()) as Body) : undefined;
  } catch {
    return undefined;
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  await promise;
}

const probeMaxMs = 10_000;
