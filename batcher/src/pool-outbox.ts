import { isDeepStrictEqual } from "node:util";
import { poolChannel } from "@faceline/contracts/wire/names";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Clock } from "@faceline/runtime/clock";
import { blockedBy, hasJumped, laneStates } from "./scheduling/pool-state.ts";
import type { State } from "./scheduling/state/state.ts";

/** An unchanged state is repeated at this interval: an ingress believes a state for 2 s. */
const unchangedEveryMs = 500;

/** A changed state is published at this interval. */
const changedEveryMs = 100;

/** The state is compared with the published one at most once in this time, however fast events come. */
const compareEveryMs = 5;

/**
 * Publishes the pool's state while this batcher is the active one: every `changedEveryMs` if it has changed,
 * and at once if it has jumped. `compare` notices changes that come with time alone. A lost message is
 * followed by the next.
 */
export function openPoolOutbox(parts: PoolOutboxParts): PoolOutbox {
  const { redis, state, clock, pool, kafka } = parts;
  let sequence = 0;
  let published: Content = { lanes: [] };
  let publishedAt = Number.NEGATIVE_INFINITY;
  let comparison: NodeJS.Timeout | undefined;
  /** Whether Kafka has answered since this batcher took over. */
  let isProven = false;

  const isDue = (content: Content, now: number): boolean =>
    hasJumped(published.lanes, content.lanes) ||
    now >= publishedAt + unchangedEveryMs ||
    (now >= publishedAt + changedEveryMs && !isDeepStrictEqual(content, published));

  const compare = (): void => {
    const link = kafka();
    const now = clock.now();
    // From the end of the session on, another batcher may publish the pool's state.
    const mayHavePassed = link === "lost" || now >= state.sessionEndsAt;
    if (!state.holdsPartition) isProven = false;
    if (!state.holdsPartition || state.draining || mayHavePassed) return;
    // A standby's connections need a moment after a takeover: that is not an outage of Kafka.
    isProven ||= link === "responsive";
    if (!isProven) return;
    const servers = { kafka: link === "responsive" && parts.hasTopic(), reports: parts.hasReports() };
    // While Kafka does not take batches, no worker can be reached: the ingress refuses calls at once.
    const lanes = laneStates(state, now).map((lane) => (servers.kafka ? lane : { ...lane, workers: 0 }));
    const content = { lanes, blockedBy: blockedBy(state, servers, now), takeoverMs: parts.takeoverMs() };
    if (!isDue(content, now)) return;
    published = content;
    publishedAt = now;
    const message: PoolState = {
      pool,
      batcher: state.batcher,
      sequence: sequence++,
      sentAt: now,
      ...content,
    };
    bestEffort("pool_state_publish", redis.publish(poolChannel(pool), JSON.stringify(message)));
  };

  return {
    compare,
    stateChanged() {
      // Events within these milliseconds are compared together, including the last.
      comparison ??= setTimeout(() => {
        comparison = undefined;
        compare();
      }, compareEveryMs);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(comparison);
    },
  };
}

export type PoolOutbox = AsyncDisposable & {
  /** Compares the state with the published one; must be called several times a second. */
  compare(): void;
  /** The state has changed and may have jumped: compares it within 5 ms. */
  stateChanged(): void;
};

type Content = Pick<PoolState, "lanes" | "blockedBy" | "takeoverMs">;

type PoolOutboxParts = {
  redis: { publish(channel: string, message: string): Promise<unknown> };
  state: State;
  clock: Clock;
  pool: string;
  /** See `KafkaLink`. */
  kafka(): KafkaLink;
  /** False while Kafka lacks the pool's topic of batches. */
  hasTopic(): boolean;
  /** False while reports cannot come, and shortly after. */
  hasReports(): boolean;
  /** How long a standby needs after the end of this batcher; undefined: there is none. */
  takeoverMs(): number | undefined;
};

/**
 * `silent`: Kafka has not answered the consumer of tasks or the producer of batches lately. `lost`: so long
 * that another batcher may hold the partition.
 */
export type KafkaLink = "responsive" | "silent" | "lost";
