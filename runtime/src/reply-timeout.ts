import { type CoreWaits, coreWaits, longestWaitMs } from "./core-waits.ts";
import type { TimeSpent } from "./starvation.ts";

/** A timeout has this many parts at least: how many blocked turns of the event loop prolong it at most. */
const partsMin = 4;
/** However long a pause of the whole process is, it counts as so much. */
const partMaxMs = 1_000;

/**
 * A timeout for the reply of a server or a thread, which counts time in which this process could run.
 *
 *     part ──► part ──► part ──► part ──► sockets are read ──► onTimeout
 *
 * A turn of the event loop that takes seconds, or a process that was stopped, leaves replies in the sockets,
 * and Node runs timers that are due before it reads them. So a part counts as no more than its length if its
 * timer fires later, and sockets are read in between. What `readWaits` tells is not counted either: a thread
 * that had no core could not reply, and this one could not read. So `onTimeout` is called after `ms` at the
 * earliest, and in a starved process as much later as it is slower, up to four times: what hangs on a machine
 * may be what keeps this process from a core.
 */
export class ReplyTimeout implements Disposable {
  readonly #partMs: number;
  readonly #onTimeout: (spent: TimeSpent) => void;
  readonly #readWaits: () => CoreWaits;
  readonly #startedAt = performance.now();
  #remainingMs: number;
  #unableMs = 0;
  #part: Part;
  #timer: NodeJS.Timeout | undefined;
  #lastRead: NodeJS.Immediate | undefined;

  /** `readWaits`: those of the threads that must run for a reply. Default: the main thread's. */
  constructor(
    ms: number,
    onTimeout: (spent: TimeSpent) => void,
    readWaits: () => CoreWaits = coreWaits.mainThread,
  ) {
    this.#partMs = Math.ceil(Math.min(ms / partsMin, partMaxMs));
    this.#remainingMs = ms;
    this.#onTimeout = onTimeout;
    this.#readWaits = readWaits;
    this.#part = this.#startPart();
  }

  /** The time since the start, for what ends the wait before the timeout. */
  get spent(): TimeSpent {
    const { unableMs } = timeOfPart({ ...this.#measure(), delayMs: Number.POSITIVE_INFINITY });
    return { elapsedMs: performance.now() - this.#startedAt, unableMs: this.#unableMs + unableMs };
  }

  #startPart(): Part {
    // What is left may be next to nothing each time; a timer for that would keep a starved process busy.
    const leastMs = Math.max(this.#remainingMs, this.#partMs / partsMin);
    const delayMs = Math.min(this.#partMs, Math.ceil(leastMs));
    this.#timer = setTimeout(() => this.#endPart(), delayMs);
    return { delayMs, startedAt: performance.now(), waits: this.#readWaits() };
  }

  #endPart(): void {
    const { ranMs, unableMs } = timeOfPart({ ...this.#measure(), delayMs: this.#part.delayMs });
    this.#remainingMs -= ranMs;
    this.#unableMs += unableMs;
    if (this.#remainingMs > 0) {
      this.#part = this.#startPart();
      return;
    }
    this.#part = { delayMs: 0, startedAt: performance.now(), waits: this.#readWaits() };
    // Node reads sockets between timers and immediates.
    this.#lastRead = setImmediate(() => this.#onTimeout(this.spent));
  }

  #measure(): { elapsedMs: number; waitedMs: number } {
    return {
      elapsedMs: performance.now() - this.#part.startedAt,
      waitedMs: longestWaitMs(this.#part.waits, this.#readWaits()),
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastRead);
  }
}

/**
 * Returns how much of a part counts, and in how much of it the process could not run. `delayMs`: when its
 * timer was due. `waitedMs`: how long a thread waited for a core.
 */
export function timeOfPart({ delayMs, elapsedMs, waitedMs }: PartTimes): { ranMs: number; unableMs: number } {
  const waited = Math.min(waitedMs, elapsedMs);
  return {
    ranMs: Math.min(delayMs, Math.max(elapsedMs * countedMin, Math.max(elapsedMs, delayMs) - waited)),
    unableMs: Math.max(0, elapsedMs - delayMs, waited),
  };
}

/** Share of the time that always counts. */
const countedMin = 1 / 4;

type PartTimes = { delayMs: number; elapsedMs: number; waitedMs: number };

type Part = { delayMs: number; startedAt: number; waits: CoreWaits };
