// Used by rebalance-simulation.ts.
import assert from "node:assert/strict";
import { openAnswerOutbox } from "@faceline/batcher/answer-outbox";
import { openBatchOutbox } from "@faceline/batcher/batch-outbox";
import { BatchSpans } from "@faceline/batcher/batch-spans";
import { SchedulerLoop } from "@faceline/batcher/scheduler-loop";
import { type Event, newState } from "@faceline/batcher/scheduling/state/state";
import { TaskInbox } from "@faceline/batcher/task-inbox";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import type { Producer } from "@faceline/runtime/kafka-producer";
import { openLog } from "@faceline/runtime/log";
import type { RedisConnection } from "@faceline/runtime/redis";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import { startSettings } from "./scenario.ts";
import { SimulatedConsumer } from "./simulated-consumer.ts";
import type { SimulatedKafka } from "./simulated-kafka.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";

/**
 * A batcher with its real inbox, ledger, scheduler loop and outboxes, as `src/main.ts` connects them, over a
 * simulated Kafka and Redis. It reports a task that ends again although it was not read again.
 */
export class SimulatedBatcher {
  readonly id: string;
  readonly #parts: BatcherParts;
  readonly #delivery: AnswerDelivery;
  readonly #loop: SchedulerLoop;
  #inbox: TaskInbox | undefined;
  #consumer: SimulatedConsumer | undefined;
  /** Tasks that were read and have not ended. */
  readonly #open = new Set<TaskId>();
  #delivering = false;

  constructor(parts: BatcherParts) {
    const { id, events, redis, produce } = parts;
    this.id = id;
    this.#parts = parts;
    const clock = { now: () => events.now };
    this.#delivery = new AnswerDelivery({
      redis: redis as unknown as RedisConnection,
      clock,
      log,
    });
    const lines = { warn: () => {}, error: () => {} };
    const answers = openAnswerOutbox({
      delivery: this.#delivery,
      clock,
      pool: "default",
      deadLetters: { record: () => {} },
      dedupedLog: lines,
    });
    const producer = {
      send: (_topic: string, partition: number, batch: string | null) => produce(this, partition, batch!),
    };
    this.#loop = new SchedulerLoop({
      state: newState(id, { ...startSettings, hopMs: 3, replyMs: 3 }),
      clock,
      batches: openBatchOutbox(producer as Producer, "default"),
      answers: {
        send: (each, now, onEnded) => {
          // It ends with the decision; that its answer was delivered comes later, maybe after a rebalance.
          for (const { task } of each) this.#end(task.id);
          return answers.send(each, now, (tasks) => {
            this.#delivering = true;
            onEnded(tasks);
            this.#delivering = false;
          });
        },
      },
      poolState: { compare() {}, stateChanged() {} },
      spans: new BatchSpans(tracingOff, "default"),
      dedupedLog: lines,
    });
    this.#loop.onEnded((tasks) => {
      if (!this.#delivering) for (const task of tasks) this.#end(task);
    });
  }

  async start(): Promise<void> {
    const { id, events, random, redis, kafka, sessionMs } = this.#parts;
    this.#inbox = await TaskInbox.open({
      config: { POOL: "default" },
      clientId: id,
      clock: { now: () => events.now },
      redis: redis as unknown as RedisConnection,
      deadLetters: { record: () => {} },
      loop: {
        handle: (event) => this.handle(event),
        onEnded: (listener) => this.#loop.onEnded(listener),
      },
      log,
      onConsumerLost: (error) => assert.fail(error),
      openConsumer: async (options) => {
        this.#consumer = new SimulatedConsumer({ kafka, events, random, sessionMs, options });
        return this.#consumer;
      },
    });
  }

  handle(event: Event): void {
    if (event.kind === "partition_lost") this.#open.clear();
    if (event.kind === "arrive") for (const task of event.call.tasks) this.#open.add(task);
    this.#loop.handle(event);
  }

  get consumer(): SimulatedConsumer {
    return this.#consumer!;
  }

  /** Ends as by `kill -9`. */
  kill(): void {
    this.consumer.die();
    void this.#loop[Symbol.asyncDispose]();
    void this.#delivery[Symbol.asyncDispose]();
  }

  /** Ends as by SIGTERM. */
  async stop(): Promise<void> {
    this.handle({ kind: "drain" });
    await this.#inbox![Symbol.asyncDispose]();
    await this.#loop[Symbol.asyncDispose]();
    await this.#delivery[Symbol.asyncDispose]();
  }

  #end(task: TaskId): void {
    if (!this.#open.delete(task)) this.#parts.onViolation(`${task} ended in ${this.id} without being open`);
  }
}

const log = openLog("batcher", "silent");

type BatcherParts = {
  id: string;
  events: EventQueue;
  random: Random;
  redis: SimulatedRedis;
  kafka: SimulatedKafka;
  sessionMs: number;
  /** Sends the JSON of a batch to a partition. */
  produce(batcher: SimulatedBatcher, partition: number, batch: string): Promise<void>;
  onViolation(what: string): void;
};
