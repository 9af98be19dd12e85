import { readdirSync, readFileSync } from "node:fs";

/**
 * How long the threads of a process have waited for a core since they began, in ms, by their id: other
 * processes had the cores, or its container had used up its share. Empty where the system does not tell:
 * only Linux does, in `schedstat`. An object, so that tests can put other values in their place.
 */
export const coreWaits = {
  /** Waits of the thread that reads sockets and runs timers. */
  mainThread: (): CoreWaits =>
    recent("main", mainThreadMaxAgeMs, () => new Map([["main", waitMsIn("/proc/self/schedstat")]])),

  /** Waits of all threads of a process: the pool that decodes images, the engine, the collector too. */
  allThreads: (pid = process.pid): CoreWaits =>
    recent(`${pid}`, allThreadsMaxAgeMs, () => {
      const threads = `/proc/${pid}/task`;
      return new Map(
        readdirSync(threads).map((thread) => [thread, waitMsIn(`${threads}/${thread}/schedstat`)]),
      );
    }),
};

export type CoreWaits = ReadonlyMap<string, number>;

/**
 * Returns how long the thread that waited longest between two readings did so, in ms. Threads that began in
 * between count from their beginning.
 */
export function longestWaitMs(before: CoreWaits, after: CoreWaits): number {
  if (before.size === 0) return 0;
  return Math.max(0, ...[...after].map(([thread, waitMs]) => waitMs - (before.get(thread) ?? 0)));
}

/** How long the main thread has waited for a core since it began, in ms. */
export const mainThreadWaitMs = (): number => coreWaits.mainThread().get("main") ?? 0;

/**
 * A clock in ms that stands still while the main thread waits for a core. Only differences mean something.
 */
export const runningTime = (): number => performance.now() - mainThreadWaitMs();

/** 15 µs a reading: at most 50 a second, however many replies are due. */
const mainThreadMaxAgeMs = 20;
/** 10 µs a thread, of which a worker has about thirty. */
const allThreadsMaxAgeMs = 250;

const readings = new Map<string, { at: number; waits: CoreWaits }>();

function recent(name: string, maxAgeMs: number, read: () => CoreWaits): CoreWaits {
  const known = readings.get(name);
  const at = performance.now();
  if (known !== undefined && at - known.at < maxAgeMs) return known.waits;
  const waits = orNone(read);
  readings.set(name, { at, waits });
  return waits;
}

/** A process or a thread may have ended, and other systems have no such files. */
function orNone(read: () => CoreWaits): CoreWaits {
  try {
    return read();
  } catch {
    return new Map();
  }
}

/** The second number: nanoseconds in which a thread was ready to run and had no core. */
const waitMsIn = (file: string): number => Number(readFileSync(file, "latin1").split(" ")[1]) / 1e6;
