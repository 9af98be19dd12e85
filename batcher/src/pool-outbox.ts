import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@faceline/contracts/runtime/clock";
import { poolChannel } from "@faceline/contracts/wire/names";
import type { LaneState, PoolState } from "@faceline/contracts/wire/pool-state";
import { jumped, laneStates } from "./scheduling/pool-state.ts";
import type { State } from "./scheduling/state.ts";

/** A state that has not changed is told no more often: an ingress believes it for 2 s. */
const unchangedEveryMs = 500;

/** A jump is looked for this often at most, however fast things happen. */
const lookEveryMs = 5;

/**
 * Publishes the pool's state while this batcher is the active one: regularly where it has changed, and at once where it has jumped. A state
 * that does not get through is followed by the next.
 */
export function openPoolOutbox({
  redis,
  state,
  clock,
  pool,
  everyMs,
  active,
  due,
}: PoolOutboxParts): PoolOutbox {
  let sequence = 0;
  let said: LaneState[] = [];
  let saidAt = Number.NEGATIVE_INFINITY;
  let looking: NodeJS.Timeout | undefined;

  const publish = (lanes: LaneState[], now: number): void => {
    said = lanes;
    saidAt = now;
    const message: PoolState = { pool, batcher: state.batcher, sequence: sequence++, sentAt: now, lanes };
    redis.publish(poolChannel(pool), JSON.stringify(message)).catch(() => {});
  };
  const tell = (when: (lanes: LaneState[], now: number) => boolean): void => {
    if (!active()) return;
    const now = clock.now();
    const lanes = laneStates(state, now);
    if (when(lanes, now)) publish(lanes, now);
  };
  const timer = setInterval(() => {
    due();
    tell((lanes, now) => now >= saidAt + unchangedEveryMs || !isDeepStrictEqual(lanes, said));
  }, everyMs);

  return {
    decided() {
      // What happens within these milliseconds is looked at together, the last of it included.
      looking ??= setTimeout(() => {
        looking = undefined;
        tell((lanes) => jumped(said, lanes));
      }, lookEveryMs);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      clearTimeout(looking);
    },
  };
}

export type PoolOutbox = AsyncDisposable & {
  /** Something was decided: the state may have jumped. */
  decided(): void;
};

type PoolOutboxParts = {
  redis: { publish(channel: string, message: string): Promise<unknown> };
  state: State;
  clock: Clock;
  pool: string;
  everyMs: number;
  active(): boolean;
  /** Called before each regular state. */
  due(): void;
};
