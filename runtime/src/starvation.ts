import { readdirSync, readFileSync } from "node:fs";

// Hangs, and who is to blame for them if other processes have the cores. Limits count time in which this
// process could run; they are reached after four times as long at the latest, because what hangs may be what
// takes the cores. If a quarter of a wait passed without a core, the load is to blame, not a server.

/**
 * How long the threads of a process have waited for a core since they started, in ms, by their id: other
 * processes had the cores, or its container had used up its share. Empty if the system does not report it:
 * only Linux does, in `schedstat`. An object, so that tests can substitute other values.
 */
export const coreWaits = {
  /** Waits of the thread that reads sockets and runs timers. 15 µs a reading: at most 50 a second. */
  mainThread: (): CoreWaits =>
    recent("main", 20, () => new Map([["main", waitMsIn("/proc/self/schedstat")]])),

  /** Waits of all threads of a process: the engine, the pool that decodes images. 10 µs for each thread. */
  allThreads: (pid = process.pid): CoreWaits =>
    recent(`${pid}`, 250, () => {
      const threads = `/proc/${pid}/task`;
      return new Map(
        readdirSync(threads).map((thread) => [thread, waitMsIn(`${threads}/${thread}/schedstat`)]),
      );
    }),
};

/** Measures a wait: for a response, or for work of other threads. */
export class Stopwatch {
  readonly #startedAt = performance.now();
  readonly #waitsBefore: CoreWaits;
  protected readonly readWaits: () => CoreWaits;

  /** `readWaits`: waits of the threads that must run meanwhile. Default: the main thread's. */
  constructor(readWaits: () => CoreWaits = coreWaits.mainThread) {
    this.readWaits = readWaits;
    this.#waitsBefore = readWaits();
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Time in which the thread that waited longest had no core; at most three quarters of all. */
  get withoutCoreMs(): number {
    // If nothing could be read before, a later reading would count from the start of the thread.
    if (this.#waitsBefore.size === 0) return 0;
    const waits = [...this.readWaits()].map(([id, waitMs]) => waitMs - (this.#waitsBefore.get(id) ?? 0));
    return Math.max(0, Math.min(this.elapsedMs * (3 / 4), Math.max(...waits)));
  }

  /** The time that counts against limits. */
  get ranMs(): number {
    return this.elapsedMs - this.withoutCoreMs;
  }

  /** Whether the load is to blame for a wait in vain. A machine that is merely busy takes a tenth of it. */
  get isStarved(): boolean {
    // Readings may be 20 ms old.
    return this.withoutCoreMs >= Math.max(20, this.elapsedMs / 4);
  }
}

/**
 * A timeout against a hang: calls `onHang` once, after `ms` in which the threads of `readWaits` could run.
 *
 *     part ──► part ──► part ──► part ──► sockets are read ──► onHang
 *
 * A turn of the event loop that takes seconds, or a process that was stopped, leaves responses in the
 * sockets, and Node runs timers that are due before it reads them. So there are four parts at least, one
 * whose timer fires late counts as no more than its length, and sockets are read in between.
 */
export class HangTimeout extends Stopwatch implements Disposable {
  readonly #partMs: number;
  #timer: NodeJS.Timeout | undefined;
  #lastRead: NodeJS.Immediate | undefined;

  constructor(ms: number, onHang: () => void, readWaits?: () => CoreWaits) {
    super(readWaits);
    this.#partMs = Math.ceil(Math.min(ms / 4, 1_000));
    this.#startPart(ms, onHang);
  }

  #startPart(remainingMs: number, onHang: () => void): void {
    // What is left may be next to nothing each time; a timer for that would keep a starved process busy.
    const delayMs = Math.min(this.#partMs, Math.ceil(Math.max(remainingMs, this.#partMs / 4)));
    const part = new Stopwatch(this.readWaits);
    this.#timer = setTimeout(() => {
      const leftMs = remainingMs - Math.min(delayMs, Math.max(part.elapsedMs, delayMs) - part.withoutCoreMs);
      if (leftMs > 0) this.#startPart(leftMs, onHang);
      // Node reads sockets between timers and immediates.
      else this.#lastRead = setImmediate(onHang);
    }, delayMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastRead);
  }
}

export type CoreWaits = ReadonlyMap<string, number>;

const readings = new Map<string, { at: number; waits: CoreWaits }>();

function recent(name: string, maxAgeMs: number, read: () => CoreWaits): CoreWaits {
  const known = readings.get(name);
  const at = performance.now();
  if (known !== undefined && at - known.at < maxAgeMs) return known.waits;
  let waits: CoreWaits = new Map();
  try {
    waits = read();
  } catch {
    // A process or a thread may have ended, and other systems have no such files.
  }
  readings.set(name, { at, waits });
  return waits;
}

/** The second number: nanoseconds in which a thread was ready to run and had no core. */
const waitMsIn = (file: string): number => Number(readFileSync(file, "latin1").split(" ")[1]) / 1e6;
