import type { BatchSizing } from "./batch-size.ts";
import type { Lane } from "./lane.ts";
import type { State } from "./state.ts";
import type { Worker, Workload } from "./workers.ts";

/** What a prediction is off by at most, beside what the models say: rounding, and timers of whole milliseconds. */
export const guardMs = 1;

/**
 * The place on a worker where a lane's next batch would run soonest, if there is one. One batch runs and one is staged:
 * never more. An idle worker takes its batch at once; a busy one just in time, so early that the images are decoded as
 * its running batch ends, and no earlier, because until then the batch can still grow.
 */
export function soonestSeat(
  state: State,
  lane: Lane,
  loads: Workload[],
  sizing: BatchSizing,
  now: number,
): Seat | undefined {
  // What killed a worker once may do it again: it runs alone, and while such a part waits nothing is staged.
  const suspects = [...state.lanes.values()].some((each) => each.parts.some((part) => part.lostWithWorker));
  const count = Math.min(lane.waiting, sizing.usefulSize);
  // A run may end before it was expected to, and a worker that waits loses more than a batch that closes a little early.
  const leadMs = state.hops.toWorker.ms + lane.prepare.meanMs(count) + lane.run.residualMs;
  let soonest: Seat | undefined;
  for (const { worker, sizeMax, running, staged, freeAt, suspicious } of loads) {
    if (staged > 0 || (running && (suspicious || suspects))) continue;
    const takesAt = running ? Math.max(now, freeAt - leadMs) : now;
    // A run that should have ended by now may end at any time: a worker that is idle goes before it.
    if (soonest === undefined || freeAt < soonest.freeAt || (freeAt === soonest.freeAt && !running)) {
      soonest = { worker, sizeMax, freeAt, takesAt };
    }
  }
  return soonest;
}

/** When a batch of so many that is sent now begins to run. It is prepared while the one before it runs. */
export function beginsAtLatest(state: State, lane: Lane, seat: Seat, count: number, now: number): number {
  const preparedAt = now + state.hops.toWorker.ms + lane.prepare.highMs(count);
  return Math.max(preparedAt, seat.freeAt) + guardMs;
}

/** When its answers are with the clients. */
export function endsAtLatest(state: State, lane: Lane, seat: Seat, count: number, now: number): number {
  return beginsAtLatest(state, lane, seat, count, now) + lane.highMs(count) + state.hops.reply.ms;
}

export type Seat = {
  worker: Worker;
  sizeMax: number;
  /** When the worker will have run what it has. */
  freeAt: number;
  /** When the batch should be sent. */
  takesAt: number;
};
