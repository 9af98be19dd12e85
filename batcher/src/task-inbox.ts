import { AnswerMarker } from "@faceline/contracts/wire/answer";
import type { CallId, TaskId } from "@faceline/contracts/wire/ids";
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
    const calls = arrivals.map(({ call }) => call);
    const answered = await this.#answeredOf(calls.flatMap(({ tasks }) => tasks));
    const builds = await this.#buildsOf(calls, answered);
    // If the partition was lost meanwhile, the ledger was cleared and these requests are read again, here or
    // elsewhere. After a rebalance that left the partition here, they are still open in the ledger and would
    // be skipped when read again: so they continue.
    if (this.#lossCount !== lossCountBefore) return;
    this.#ledger.end([...answered]);
    this.#commitSoon();
    for (const arrival of arrivals) {
      const { call } = arrival;
      const tasks = call.tasks.filter((task) => !answered.has(task));
      const answeredBy = builds.get(call.call);
      if (tasks.length > 0) this.#parts.loop.handle({ ...arrival, call: { ...call, tasks }, answeredBy });
    }
  }

  /**
   * The builds of requests that are answered in part: their other tasks must run on the same build. One
   * answer is fetched for each such request. If Redis has none, the request may go to any build: should its
   * answers then differ, the ingress refuses to compare them.
   */
  async #buildsOf(calls: CallTasks[], answered: ReadonlySet<TaskId>): Promise<Map<CallId, LaneBuild>> {
    const builds = new Map<CallId, LaneBuild>();
    const begun = calls.flatMap(({ call, tasks }) => {
      const task = tasks.find((each) => answered.has(each));
      return task !== undefined && tasks.some((each) => !answered.has(each)) ? [{ call, task }] : [];
    });
    for (let from = 0; from < begun.length; from += answersReadAtOnce) {
      const some = begun.slice(from, from + answersReadAtOnce);
      const pipeline = this.#parts.redis.pipeline();
      for (const { task } of some) pipeline.getBuffer(answerKey(task));
      const replies = (await pipeline.exec().catch(() => null)) ?? [];
      for (const [index, { call }] of some.entries()) {
        const value = replies[index]?.[1];
        const read = value instanceof Buffer ? readMessage(AnswerMarker, value) : undefined;
        if (read?.ok && read.value.build !== null) builds.set(call, read.value.build);
      }
    }
    return builds;
  }

  /**
   * Returns the tasks that have an answer in Redis. If Redis fails none counts as answered: a second run
   * costs time, a lost task costs an answer.
   */
  async #answeredOf(tasks: TaskId[]): Promise<Set<TaskId>> {
    const answered = new Set<TaskId>();
    for (let from = 0; from < tasks.length; from += lookedUpAtOnce) {
      const some = tasks.slice(from, from + lookedUpAtOnce);
      const replies = await this.#answersExist(some);
      for (const [index, task] of some.entries()) if (replies[index]?.[1] === 1) answered.add(task);
      const failure = replies.find(([error]) => error !== null)?.[0];
      if (!failure) continue;
      const request_ids = requestIdsOf(some.slice(0, loggedTasksMax));
      const facts = { tasks: some.length, request_ids, reason: failure.message };
      this.#parts.log.warn(facts, "Redis could not tell which tasks are answered; these run");
    }
    return answered;
  }

  /** EXISTS, because an answer with many faces is large and only its existence matters. */
  async #answersExist(tasks: TaskId[]): Promise<[error: Error | null, result: unknown][]> {
    const pipeline = this.#parts.redis.pipeline();
    for (const task of tasks) pipeline.exists(answerKey(task));
    try {
      return (await pipeline.exec()) ?? [];
    } catch (error) {
      return [[error as Error, undefined]];
    }
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

/** Tasks of one pipeline: its replies come well within the time of a command. */
const lookedUpAtOnce = 500;
const loggedTasksMax = 20;
/** Offsets wait for each other. What is not committed is read again after a loss. */
const commitEveryMs = 100;
/** Answers of one pipeline: an answer with many faces has 85 kB. */
const answersReadAtOnce = 50;

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
