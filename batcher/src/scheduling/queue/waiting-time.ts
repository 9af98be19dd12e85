import type { TaskWait } from "@faceline/contracts/wire/timing";

/**
 * How long a lane has been held back for more tasks although a worker was free, summed up over its life. A
 * task's own share is the difference between two readings.
 */
export class HoldTime {
  #endedMs = 0;
  #since: number | undefined;

  /** Sets whether the lane is held from now on. */
  set(isHeld: boolean, now: number): void {
    if (isHeld) this.#since ??= now;
    else {
      this.#endedMs = this.totalMs(now);
      this.#since = undefined;
    }
  }

  get isHeld(): boolean {
    return this.#since !== undefined;
  }

  totalMs(now: number): number {
    return this.#endedMs + (this.#since === undefined ? 0 : now - this.#since);
  }
}

/**
 * Measures how the time of one task passes in the batcher.
 *
 *     waiting ──send──► sent ──requeue──► waiting ──send──► …
 *     └ queueMs, holdMs ┘ └── retryMs ──┘
 */
export class WaitingTime {
  #hold: HoldTime;
  #ended: TaskWait;
  #phase: { kind: "waiting"; since: number; heldBeforeMs: number } | { kind: "sent"; at: number };

  /** `hopMs`: how long its message was under way from the ingress. */
  constructor(hold: HoldTime, hopMs: number, now: number) {
    this.#hold = hold;
    this.#ended = { hopMs, queueMs: 0, holdMs: 0, retryMs: 0, attempts: 0 };
    this.#phase = { kind: "waiting", since: now, heldBeforeMs: hold.totalMs(now) };
  }

  /** The task leaves with a batch. Returns its time until now. */
  send(now: number): TaskWait {
    const wait = this.until(now);
    this.#ended = { ...wait, attempts: wait.attempts + 1 };
    this.#phase = { kind: "sent", at: now };
    return this.#ended;
  }

  /** Its batch was lost or failed, so it waits again. */
  requeue(now: number): void {
    this.#ended = this.until(now);
    this.#phase = { kind: "waiting", since: now, heldBeforeMs: this.#hold.totalMs(now) };
  }

  /** Its call moves to another lane: that one's holds count from now on. */
  moveTo(hold: HoldTime, now: number): void {
    if (this.#phase.kind === "waiting") {
      const heldMs = this.#hold.totalMs(now) - this.#phase.heldBeforeMs;
      this.#phase = { ...this.#phase, heldBeforeMs: hold.totalMs(now) - heldMs };
    }
    this.#hold = hold;
  }

  /** Returns its time until now. */
  until(now: number): TaskWait {
    const { queueMs, holdMs, retryMs } = this.#ended;
    if (this.#phase.kind === "sent") return { ...this.#ended, retryMs: retryMs + now - this.#phase.at };
    const waitedMs = now - this.#phase.since;
    const heldMs = Math.min(waitedMs, this.#hold.totalMs(now) - this.#phase.heldBeforeMs);
    const queuedAt = this.#phase.since;
    return { ...this.#ended, queuedAt, queueMs: queueMs + waitedMs - heldMs, holdMs: holdMs + heldMs };
  }
}
