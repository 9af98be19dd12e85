import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Producer } from "@faceline/contracts/runtime/kafka";
import type { Consumer, ConsumerOptions, ReadMessage } from "@faceline/contracts/runtime/kafka-consumer";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey, batcherGroup, tasksTopic } from "@faceline/contracts/wire/names";
import { CallTasks } from "@faceline/contracts/wire/task";
import type { BatcherConfig } from "./config.ts";
import { Ledger } from "./ledger.ts";
import type { Pulse } from "./pulse.ts";

/** The tasks topic has one partition, and Kafka's group gives it to one batcher: the active one. */
const tasksPartition = 0;

/**
 * Reads the tasks of the pool while this batcher holds their partition, and commits up to the first that has not
 * ended. What was read by another before, or by this one before a rebalance, is read again: tasks that have their
 * answer already are skipped, by asking Redis for those that came before we took over.
 */
export async function openTaskInbox(parts: TaskInboxParts): Promise<TaskInbox> {
  const { config, clientId, clock, redis, producer, pulse, log, openConsumer } = parts;
  const topic = tasksTopic(config.POOL);
  const ledger = new Ledger();
  /** Of the last rebalance that gave us the partition: what arrived before it may have been answered by another. */
  let activeSince: number | undefined;
  /** Counts the times that the partition has left: what was looked up before then is no longer ours. */
  let departures = 0;
  let closed = false;

  const take = (_partition: number, messages: ReadMessage[]): void => {
    const old: CallTasks[] = [];
    for (const { offset, value } of messages) {
      const read = readMessage(CallTasks, value);
      if (!read.ok) {
        bury(offset, read.reason);
        continue;
      }
      if (!ledger.read(BigInt(offset), read.value.tasks)) continue;
      if (read.value.arrivedAt < (activeSince ?? 0)) old.push(read.value);
      else pulse.tell({ kind: "arrive", call: read.value });
    }
    if (old.length > 0) void takeUnanswered(old);
    // What was buried, or is read again, ends here.
    commitSoon();
  };

  const takeUnanswered = async (calls: CallTasks[]): Promise<void> => {
    const departuresBefore = departures;
    const answered = await answeredOf(calls.flatMap((call) => call.tasks));
    // The partition has left meanwhile, so the ledger was cleared and these are read again, here or elsewhere. After a
    // rebalance that left it here the ledger still has them open and skips them when they are read again: they go on.
    if (departures !== departuresBefore) return;
    ledger.ended([...answered]);
    commitSoon();
    for (const call of calls) {
      const tasks = call.tasks.filter((task) => !answered.has(task));
      if (tasks.length > 0) pulse.tell({ kind: "arrive", call: { ...call, tasks } });
    }
  };

  /** Where Redis cannot say, none counts as answered: a second run costs time, a lost task costs an answer. */
  const answeredOf = async (tasks: TaskId[]): Promise<Set<TaskId>> => {
    const found = await redis.mget(tasks.map(answerKey)).catch(() => []);
    return new Set(tasks.filter((_, index) => (found[index] ?? null) !== null));
  };

  const bury = (offset: string, reason: string): void => {
    ledger.read(BigInt(offset), []);
    log.error({ topic, offset, reason }, "a message could not be read");
    producer.deadLetter({ topic, partition: tasksPartition, offset, reason }).catch(() => {});
  };

  const assigned = (partitions: number[]): void => {
    const active = partitions.includes(tasksPartition);
    if (active) activeSince = clock.now();
    else if (activeSince !== undefined) {
      activeSince = undefined;
      departures++;
      ledger.clear();
      parts.handOver();
    }
    log.info({ active }, active ? "this batcher is the active one" : "this batcher stands by");
  };

  let consumer: Consumer | undefined;
  let committed: bigint | undefined;
  let commitDue: NodeJS.Timeout | undefined;
  const commit = async (): Promise<void> => {
    const lowWater = ledger.lowWater;
    if (activeSince === undefined || lowWater === undefined || lowWater === committed) return;
    if (await consumer?.commit(tasksPartition, lowWater.toString())) committed = lowWater;
    else commitSoon();
  };
  const commitSoon = (): void => {
    if (closed) return;
    commitDue ??= setTimeout(() => {
      commitDue = undefined;
      void commit();
    }, config.COMMIT_EVERY_MS);
  };

  pulse.onEnded((tasks) => {
    ledger.ended(tasks);
    commitSoon();
  });
  consumer = await openConsumer({
    topic,
    group: batcherGroup(config.POOL),
    clientId,
    log,
    onAssignment: assigned,
    onMessages: take,
    onFatalError: parts.lost,
  });

  return {
    active: () => activeSince !== undefined,
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(commitDue);
      await commit();
      await consumer?.[Symbol.asyncDispose]();
    },
  };
}

export type TaskInbox = AsyncDisposable & {
  /** This batcher holds the tasks. */
  active(): boolean;
};

type TaskInboxParts = {
  config: Pick<BatcherConfig, "POOL" | "COMMIT_EVERY_MS">;
  clientId: string;
  clock: Clock;
  redis: { mget(keys: string[]): Promise<(string | null)[]> };
  producer: Pick<Producer, "deadLetter">;
  pulse: Pick<Pulse, "tell" | "onEnded">;
  log: Log;
  openConsumer(options: ConsumerOptions): Promise<Consumer>;
  /** Another batcher has the tasks now. */
  handOver(): void;
  /** Kafka cannot be read any more. */
  lost(error: Error): void;
};
