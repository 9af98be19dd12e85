import type { DispatchReason } from "@faceline/contracts/wire/batch";
import { Latest } from "@faceline/runtime/live/recent/latest";
import { RecentSlots } from "@faceline/runtime/live/recent/slots";
import type { LiveLane } from "@faceline/runtime/live/state";
import type { Lane } from "../scheduling/state/lane.ts";

/** The last minutes of one lane, in a bounded memory. */
export class LaneHistory {
  readonly counts = new RecentSlots<"sent" | "waiting" | "shed" | "heldMs">();
  readonly reasons = new RecentSlots<DispatchReason>();
  /** Batches by their number of tasks. */
  readonly sizes = new RecentSlots<number>();
  readonly predictions = new Latest<LiveLane["predictions"][number]>(predictionsMax);
  /** Run times by padded size. */
  readonly #runs = new Map<number, Latest<number>>();
  #heldMs = 0;

  addRun(size: number, runMs: number): void {
    let runs = this.#runs.get(size);
    if (runs === undefined) {
      runs = new Latest(runsOfSizeMax);
      this.#runs.set(size, runs);
    }
    runs.add(runMs);
  }

  /** Adds the state of the lane now. What passes between two calls counts for the second one's slot. */
  addState(lane: Lane, now: number): void {
    this.counts.raise("waiting", lane.waitingCount, now);
    const heldMs = lane.hold.totalMs(now);
    if (heldMs > this.#heldMs) this.counts.add("heldMs", heldMs - this.#heldMs, now);
    this.#heldMs = heldMs;
  }

  measured(): LiveLane["run"]["measured"] {
    return [...this.#runs]
      .map(([size, runs]) => ({ size, runsMs: runs.values() }))
      .toSorted((one, other) => one.size - other.size);
  }
}

/** Limit for each size; workers offer few sizes. */
const runsOfSizeMax = 16;
const predictionsMax = 60;
