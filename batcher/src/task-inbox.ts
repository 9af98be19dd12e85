import { AnswerMarker } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { answerKey, batcherGroup, tasksTopic } from "@faceline/contracts/wire/names";
import { CallTasks } from "@faceline/contracts/wire/task";
import type { Clock } from "@faceline/runtime/clock";
import type { DeadLetters } from "@faceline/runtime/dead-letters";
import type { Consumer, ConsumerOptions, ReadMessage } from "@faceline/runtime/kafka-consumer";
import type { Log } from "@faceline/runtime/log";
import { requestIdsOf } from "@faceline/runtime/log-ids";
import { readMessage } from "@faceline/runtime/message";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { BatcherConfig } from "./config.ts";
import { Ledger } from "./ledger.ts";
import type { SchedulerLoop } from "./scheduler-loop.ts";
import type { Event } from "./scheduling/state/state.ts";

/** The tasks topic has one partition, and Kafka's group gives it to one batcher: the active one. */
const tasksPartition = 0;

/**
 * Reads the tasks of the pool while this batcher holds their partition, and commits up to the first task that
 * has not ended. Messages that another batcher has read before, or this one before a rebalance, are read
 * again: Redis says which tasks of calls from before the rebalance are answered already, and those are
 * skipped.
 */
export class TaskInbox implements AsyncDisposable {
  readonly #parts: TaskInboxParts;
  readonly #topic: string;
  readonly #ledger = new Ledger();
  #consumer: Consumer | undefined;
  /** Instant of the last rebalance that left the partition here; undefined while another batcher holds it. */
  #activeSince: number | undefined;
  /** The role that the log names: while Kafka is down, each attempt to join assigns nothing. */
  #loggedRole: boolean | undefined;
  /** Incremented per loss of the partition, so that stale look-ups are dropped. */
  #lossCount = 0;
  #committed: bigint | undefined;
  /** The end of the partition when messages last came. */
  #end: bigint | undefined;
  #commitTimer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(parts: TaskInboxParts) {
    this.#parts = parts;
    this.#topic = tasksTopic(parts.config.POOL);
  }

  /** Joins the group and begins to read. Throws if Kafka cannot be reached. */
  static async open(parts: TaskInboxParts): Promise<TaskInbox> {
    const inbox = new TaskInbox(parts);
    const { config, clientId, clock, log, loop, onConsumerLost } = parts;
    loop.onEnded((tasks) => {
      inbox.#ledger.end(tasks);
      inbox.#commitSoon();
    });
    inbox.#consumer = await parts.openConsumer({
      topic: inbox.#topic,
      group: batcherGroup(config.POOL),
      clientId,
      log,
      onAssignment: (partitions) => inbox.#rebalance(partitions),
      onSession: (validForMs) => loop.handle({ kind: "session", endsAt: clock.now() + validForMs }),
      onEnd: (_partition, offset) => {
        inbox.#end = BigInt(offset);
      },
      onMessages: (_partition, messages) => inbox.#read(messages),
      onFatalError: onConsumerLost,
    });
    return inbox;
  }

  /** Messages with tasks that have not ended, read or not; undefined while another batcher reads. */
  get lag(): number | undefined {
    if (this.#activeSince === undefined) return undefined;
    const { lowWater } = this.#ledger;
    return lowWater === undefined || this.#end === undefined ? 0 : Math.max(0, Number(this.#end - lowWater));
  }

  #rebalance(partitions: number[]): void {
    const { clock, loop, log } = this.#parts;
    const active = partitions.includes(tasksPartition);
    if (active) {
      this.#activeSince = clock.now();
      loop.handle({ kind: "partition_assigned" });
    } else if (this.#activeSince !== undefined) {
      this.#activeSince = undefined;
      this.#committed = undefined;
      this.#lossCount++;
      this.#ledger.clear();
      loop.handle({ kind: "partition_lost" });
    }
    if (active === this.#loggedRole) return;
    this.#loggedRole = active;
    const sentence = active ? "this batcher is the active one" : "this batcher stands by";
    log.info({ reason: "assignment", active }, sentence);
  }

  #read(messages: ReadMessage[]): void {
    const [first] = messages;
    if (first !== undefined && this.#committed !== undefined && BigInt(first.offset) < this.#committed) {
      // The topic was created again: the committed offset was one of the old topic. Its tasks continue.
      this.#committed = undefined;
      this.#ledger.clear();
    }
    const old: Arrival[] = [];
    for (const { offset, value } of messages) {
      const receivedAt = this.#parts.clock.now();
      const read = readMessage(CallTasks, value);
      if (!read.ok) {
        this.#deadLetter(offset, read.reason);
        continue;
      }
      if (!this.#ledger.record(BigInt(offset), read.value.tasks)) continue;
      const arrival: Arrival = { kind: "arrive", call: read.value, receivedAt };
      if (read.value.arrivedAt < (this.#activeSince ?? 0)) old.push(arrival);
      else this.#parts.loop.handle(arrival);
    }
    if (old.length > 0) void this.#arriveUnanswered(old);
    // This ends unreadable and repeated messages.
    this.#commitSoon();
  }

  async #arriveUnanswered(arrivals: Arrival[]): Promise<void> {
    const lossCountBefore = this.#lossCount;
    const answered = await this.#buildsOf(arrivals.flatMap(({ call }) => call.tasks));
    // If the partition was lost meanwhile, the ledger was cleared and these calls are read again, here or
    // elsewhere. After a rebalance that left the partition here, they are still open in the ledger and would
    // be skipped when read again: so they continue.
    if (this.#lossCount !== lossCountBefore) return;
    this.#ledger.end([...answered.keys()]);
    this.#commitSoon();
    for (const arrival of arrivals) {
      const { call } = arrival;
      const tasks = call.tasks.filter((task) => !answered.has(task));
      if (tasks.length === 0) continue;
      // Its other tasks must run on the same build. Where no answer names one, the call may go to any: should
      // its answers then differ, the ingress refuses to compare them.
      const answeredBy = call.tasks.map((task) => answered.get(task)).find((build) => build !== undefined);
      this.#parts.loop.handle({ ...arrival, call: { ...call, tasks }, answeredBy });
    }
  }

  /**
   * Returns the tasks that have an answer in Redis, each with the build that made it, if one did. Most
   * answers are markers by now, and those of cancelled tasks empty. If Redis fails none counts as answered: a
   * second run costs time, a lost task costs an answer.
   */
  async #buildsOf(tasks: TaskId[]): Promise<Map<TaskId, LaneBuild | undefined>> {
    const builds = new Map<TaskId, LaneBuild | undefined>();
    for (let from = 0; from < tasks.length; from += lookedUpAtOnce) {
      const some = tasks.slice(from, from + lookedUpAtOnce);
      const pipeline = this.#parts.redis.pipeline();
      for (const task of some) pipeline.getBuffer(answerKey(task));
      const replies = (await pipeline.exec().catch((error: Error) => [[error, undefined]] as const)) ?? [];
      for (const [index, task] of some.entries()) {
        const value = replies[index]?.[1];
        if (!(value instanceof Buffer)) continue;
        const read = readMessage(AnswerMarker, value);
        builds.set(task, (read.ok && read.value.build) || undefined);
      }
      const failure = replies.find(([error]) => error !== null)?.[0];
      if (!failure) continue;
      const request_ids = requestIdsOf(some.slice(0, loggedTasksMax));
      const facts = { tasks: some.length, request_ids, reason: failure.message };
      this.#parts.log.warn(facts, "Redis could not tell which tasks are answered; these run");
    }
    return builds;
  }

  #deadLetter(offset: string, reason: string): void {
    const { deadLetters, log } = this.#parts;
    this.#ledger.record(BigInt(offset), []);
    log.error({ topic: this.#topic, offset, reason }, "a message could not be read");
    deadLetters.record({ topic: this.#topic, partition: `${tasksPartition}`, offset, reason });
  }

  #commitSoon(): void {
    if (this.#closed) return;
    this.#commitTimer ??= setTimeout(() => {
      this.#commitTimer = undefined;
      void this.#commit();
    }, commitEveryMs);
  }

  async #commit(): Promise<void> {
    const { lowWater } = this.#ledger;
    if (this.#activeSince === undefined || lowWater === undefined || lowWater === this.#committed) return;
    if (await this.#consumer?.commit(tasksPartition, lowWater.toString())) this.#committed = lowWater;
    else this.#commitSoon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#commitTimer);
    await this.#commit();
    await this.#consumer?.[Symbol.asyncDispose]();
  }
}

/** Tasks of one pipeline: an answer with many faces has 85 kB. */
const lookedUpAtOnce = 50;
const loggedTasksMax = 20;
/** Offsets wait for each other. What is not committed is read again after a loss. */
const commitEveryMs = 100;

type Arrival = Extract<Event, { kind: "arrive" }>;

type TaskInboxParts = {
  config: Pick<BatcherConfig, "POOL">;
  clientId: string;
  clock: Clock;
  redis: Pick<RedisConnection, "pipeline">;
  deadLetters: Pick<DeadLetters, "record">;
  loop: Pick<SchedulerLoop, "handle" | "onEnded">;
  log: Log;
  openConsumer(options: ConsumerOptions): Promise<Consumer>;
  /** Called when Kafka cannot be read any more. */
  onConsumerLost(error: Error): void;
};
