/** How long somebody waited, and for how much of it this process could not run. */
export type TimeSpent = { elapsedMs: number; unableMs: number };

/**
 * Share of a wait from which on its object is not to blame. A process on a machine that is merely
 * busy waits for a core for less than a tenth of the time.
 */
const starvedShare = 1 / 4;

export const wasStarved = ({ elapsedMs, unableMs }: TimeSpent): boolean =>
  unableMs > 0 && unableMs >= starvedShare * elapsedMs;

/** How many times as long as usual everything takes in a process that is starved so. At most 30. */
export const slowdown = ({ elapsedMs, unableMs }: TimeSpent): number =>
  Math.min(slowdownMax, elapsedMs / Math.max(1, elapsedMs - unableMs));

const slowdownMax = 30;

/** The cause of errors after a wait in which this process could hardly run: it says nothing of a server. */
export class Starved extends Error {
  override name = "Starved";
  readonly spent: TimeSpent;

  constructor(spent: TimeSpent) {
    // Without numbers, which differ each time: equal lines of a log are counted.
    super("this process had too little CPU");
    this.spent = spent;
  }
}

/** The cause of an error after such a wait; undefined where this process could run. */
export const starvedIn = (spent: TimeSpent): Starved | undefined =>
  wasStarved(spent) ? new Starved(spent) : undefined;

/** Returns the wait that ended in this error, where this process could hardly run during it. */
export function starvationOf(error: unknown): TimeSpent | undefined {
  let each = error;
  for (let depth = 0; each instanceof Error && depth < causesMax; depth++) {
    if (each instanceof Starved) return each.spent;
    each = each.cause;
  }
  return undefined;
}

const causesMax = 10;
