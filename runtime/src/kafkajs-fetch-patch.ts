import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

/** Interval of heartbeats: how late a member learns of a change of its group, at most. */
export const heartbeatEveryMs = 250;

/**
 * Patches the consumer of kafkajs 2.2.4, which sends heartbeats only between fetches, although fetches have a
 * connection of their own: so an idle member fetched four times a second. With the patch, heartbeats go on
 * while a fetch waits. When the group changes, or the consumer stops, the fetch ends with its connection: the
 * broker would answer it before the next one.
 */
const require = createRequire(import.meta.url);
const { prototype: group } = require("kafkajs/src/consumer/consumerGroup") as { prototype: ConsumerGroup };
const { prototype: runner } = require("kafkajs/src/consumer/runner") as { prototype: Runner };
const { fetch, joinAndSync } = group;
const { stop } = runner;

group.fetch = async function (this: ConsumerGroup, nodeId) {
  const fetched = fetch.call(this, nodeId);
  try {
    for (;;) {
      const wait = new AbortController();
      const pause = sleep(heartbeatEveryMs, undefined, { signal: wait.signal }).catch(() => {});
      const batches = await Promise.race([fetched, pause]).finally(() => wait.abort());
      if (batches !== undefined) return batches;
      if (joining.has(this)) continue;
      // Less than the interval: of the fetches from several brokers, one sends it.
      await this.heartbeat({ interval: heartbeatEveryMs / 2 });
    }
  } catch (error) {
    fetched.catch(() => {});
    endFetches(this);
    throw error;
  }
};

/** A fetch that finds its metadata stale joins the group again, and until then is not a member of it. */
const joining = new WeakSet<ConsumerGroup>();
group.joinAndSync = function (this: ConsumerGroup) {
  joining.add(this);
  return joinAndSync.call(this).finally(() => joining.delete(this));
};

runner.stop = function (this: Runner) {
  endFetches(this.consumerGroup);
  return stop.call(this);
};

function endFetches({ cluster }: ConsumerGroup): void {
  for (const { connectionPool } of Object.values(cluster.brokerPool.brokers)) {
    connectionPool.pool[1].socket?.destroy(new Error("the fetch is not needed any more"));
  }
}

type ConsumerGroup = {
  /** The second connection to each broker is that of fetches. */
  cluster: {
    brokerPool: { brokers: Record<string, { connectionPool: { pool: [Connection, Connection] } }> };
  };
  fetch(nodeId: number): Promise<unknown[]>;
  joinAndSync(): Promise<void>;
  heartbeat(options: { interval: number }): Promise<void>;
};
type Connection = { socket?: { destroy(error: Error): void } };
type Runner = { consumerGroup: ConsumerGroup; stop(): Promise<void> };
