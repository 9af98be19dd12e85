import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { PoolView } from "./pool-choice.ts";

// Covered by ./pool-choice.test.ts.

/** The last state of a pool, and what this process has sent to the pool since it came. */
export class ReceivedState implements PoolView {
  readonly state: PoolState;
  readonly receivedAt: number;
  readonly #sent = new Map<string, number>();

  constructor(state: PoolState, receivedAt: number) {
    this.state = state;
    this.receivedAt = receivedAt;
  }

  sentTasks(lane: string): number {
    return this.#sent.get(lane) ?? 0;
  }

  countSent(lane: string, tasks: number): void {
    this.#sent.set(lane, this.sentTasks(lane) + tasks);
  }
}
