import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { PoolView } from "./pool-choice.ts";

/** A pool whose last state is older than this counts as absent, unless its standby is to take over. */
const stateValidMs = 2_000;

/** The last states of the pools, and what this process has sent to each since. It reads no clock. */
export class KnownPools {
  readonly #latest = new Map<string, ReceivedState>();

  /** A state of the same batcher that comes out of order is dropped. */
  receive(state: PoolState, now: number): void {
    const previous = this.#latest.get(state.pool)?.state;
    const stale = previous?.batcher === state.batcher && previous.sequence >= state.sequence;
    if (!stale) this.#latest.set(state.pool, new ReceivedState(state, now));
  }

  /** The last states of the pools that have reported within two seconds, or whose standby takes over. */
  fresh(now: number): PoolView[] {
    return [...this.#latest.values()].flatMap((each) => each.viewAt(now) ?? []);
  }

  /** Tasks were sent to a pool. Its next state has them. */
  countSent(pool: string, lane: string, tasks: number): void {
    this.#latest.get(pool)?.countSent(lane, tasks);
  }
}

/** The last state of a pool, and what this process has sent to the pool since it came. */
export class ReceivedState {
  readonly state: PoolState;
  readonly #receivedAt: number;
  readonly #sent = new Map<string, number>();

  constructor(state: PoolState, receivedAt: number) {
    this.state = state;
    this.#receivedAt = receivedAt;
  }

  /** Undefined: the state is too old. */
  viewAt(now: number): PoolView | undefined {
    const ageMs = now - this.#receivedAt;
    const leftMs = (this.state.takeoverMs ?? 0) - ageMs;
    if (ageMs > stateValidMs && leftMs <= 0) return undefined;
    return {
      state: this.state,
      sentTasks: (lane) => this.sentTasks(lane),
      takeoverMs: ageMs > stateValidMs ? leftMs : 0,
    };
  }

  sentTasks(lane: string): number {
    return this.#sent.get(lane) ?? 0;
  }

  countSent(lane: string, tasks: number): void {
    this.#sent.set(lane, this.sentTasks(lane) + tasks);
  }
}
