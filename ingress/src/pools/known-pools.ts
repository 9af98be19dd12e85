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
    const isStale = previous?.batcher === state.batcher && previous.sequence >= state.sequence;
    if (!isStale) this.#latest.set(state.pool, { state, receivedAt: now, sent: new Map() });
  }

  /** The last states of the pools that have reported within two seconds, or whose standby takes over. */
  fresh(now: number): PoolView[] {
    return [...this.#latest.values()].flatMap(({ state, receivedAt, sent }) => {
      const isSilent = now - receivedAt > stateValidMs;
      const takeoverMs = isSilent ? receivedAt + (state.takeoverMs ?? 0) - now : 0;
      return takeoverMs > 0 || !isSilent
        ? [{ state, sentTasks: (lane: string) => sent.get(lane) ?? 0, takeoverMs }]
        : [];
    });
  }

  /** Tasks were sent to a pool. Its next state has them. */
  countSent(pool: string, lane: string, tasks: number): void {
    const sent = this.#latest.get(pool)?.sent;
    sent?.set(lane, (sent.get(lane) ?? 0) + tasks);
  }
}

/** `sent`: tasks that this process has sent to the pool since, by lane. */
type ReceivedState = { state: PoolState; receivedAt: number; sent: Map<string, number> };
