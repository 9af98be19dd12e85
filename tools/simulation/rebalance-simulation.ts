// Used by rebalance.sim.test.ts.
import { Batch } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import { SimulatedBatcher } from "./simulated-batcher.ts";
import { hopMaxMs } from "./simulated-consumer.ts";
import { SimulatedKafka } from "./simulated-kafka.ts";
import { SimulatedRedis } from "./simulated-redis.ts";
import { SimulatedWorker } from "./simulated-worker.ts";
import type { WorkerModel } from "./worker-model.ts";

/**
 * Batchers of one pool over a simulated Kafka, Redis and workers, all in simulated time. It checks while it
 * runs, and lists what it finds in `violations`:
 *
 * - no task ends in a batcher more often than the batcher has read it;
 * - no offset is committed past a task that has neither an answer nor a client who waits for one;
 * - no batch is sent by a batcher after another one was given the partition.
 */
export class RebalanceSimulation {
  readonly kafka: SimulatedKafka;
  readonly redis: SimulatedRedis;
  readonly batchers: SimulatedBatcher[] = [];
  readonly sentCalls: CallTasks[] = [];
  readonly violations: string[] = [];
  readonly #parts: SimulationParts;
  readonly #workers: (SimulatedWorker | undefined)[] = [];
  /** Batches that were sent while no worker held their partition, by partition. */
  readonly #unreadBatches: Batch[][] = [];
  readonly #cancelled = new Set<CallId>();
  /** The call of each message, by offset; undefined if it cannot be read. */
  readonly #calls: (CallTasks | undefined)[] = [];
  #processCount = 0;

  constructor(parts: SimulationParts) {
    this.#parts = parts;
    const { events, random, workers } = parts;
    const onCommit = (offset: number) => this.#checkCommit(offset);
    this.kafka = new SimulatedKafka({ events, random: random.branch(), sessionMs, onCommit });
    this.redis = new SimulatedRedis(events, random.branch());
    for (const model of workers) {
      this.#unreadBatches[model.partition] = [];
      this.#startWorker(model);
    }
  }

  send(call: CallTasks): void {
    this.sentCalls.push(call);
    this.#append(call, JSON.stringify(call));
  }

  sendUnreadable(): void {
    this.#append(undefined, "{}");
  }

  cancel(call: CallId): void {
    this.#cancelled.add(call);
    for (const batcher of this.batchers) this.#after(() => batcher.handle({ kind: "cancel", call }));
  }

  killWorker(model: WorkerModel): void {
    this.#workers[model.partition]?.die();
    this.#workers[model.partition] = undefined;
    this.#parts.events.after(model.coldStartMs, () => this.#startWorker(model));
  }

  /** Whether nobody waits for an answer to this task any more. */
  hasEnded(task: TaskId): boolean {
    const call = this.#parts.callOf(task);
    return (
      this.redis.isAnswered(task) ||
      this.#cancelled.has(callIdOf(task)) ||
      call.deadlineAt <= this.#parts.events.now
    );
  }

  /** Whether every message is committed. */
  get isCommitted(): boolean {
    return this.kafka.committed === this.kafka.log.length;
  }

  async startBatcher(): Promise<void> {
    const { events, random } = this.#parts;
    const batcher = new SimulatedBatcher({
      id: this.#newProcessId("batcher"),
      events,
      random: random.branch(),
      redis: this.redis,
      kafka: this.kafka,
      sessionMs,
      produce: (from, partition, batch) => this.#produce(from, partition, batch),
      onViolation: (what) => void this.violations.push(what),
    });
    this.batchers.push(batcher);
    await batcher.start();
  }

  killBatcher(batcher: SimulatedBatcher): void {
    this.batchers.splice(this.batchers.indexOf(batcher), 1);
    batcher.kill();
  }

  async stopBatcher(batcher: SimulatedBatcher): Promise<void> {
    this.batchers.splice(this.batchers.indexOf(batcher), 1);
    await batcher.stop();
  }

  #append(call: CallTasks | undefined, message: string): void {
    this.#calls.push(call);
    this.kafka.append(Buffer.from(message));
  }

  #checkCommit(offset: number): void {
    for (let index = this.kafka.committed; index < offset; index++) {
      for (const task of this.#calls[index]?.tasks ?? []) {
        if (!this.hasEnded(task)) this.violations.push(`${offset} was committed past ${task}`);
      }
    }
  }

  async #produce(batcher: SimulatedBatcher, partition: number, json: string): Promise<void> {
    const { events, random } = this.#parts;
    const { holder } = this.kafka;
    if (
      holder !== undefined &&
      holder.member !== batcher.consumer.member &&
      events.now > holder.since + hopMaxMs
    ) {
      this.violations.push(`${batcher.id} sent a batch although ${holder.member} holds the partition`);
    }
    const arrives = random.next() >= 0.02;
    const isAcknowledged = random.next() >= 0.02;
    await new Promise<void>((resolve) => events.after(0.5 + random.exponential(1), resolve));
    if (arrives) {
      const batch = Batch.parse(JSON.parse(json));
      const worker = this.#workers[partition];
      if (worker === undefined) this.#unreadBatches[partition]!.push(batch);
      else worker.receive(batch);
    }
    if (!arrives || !isAcknowledged) throw new Error("Request Produce timed out");
  }

  #startWorker(model: WorkerModel): void {
    const { events, random } = this.#parts;
    const worker = new SimulatedWorker(this.#newProcessId("inference"), model, {
      events,
      random: random.branch(),
      replyMs: () => 0.3 + random.exponential(1),
      report: (report) => this.#report(report),
      answer: (_batch, tasks) => {
        for (const { id } of tasks) this.redis.answer(id);
      },
      runOf: () => (random.next() < 0.02 ? "failed" : "answered"),
      isPreparationEndless: () => false,
      killed: () => this.killWorker(model),
    });
    this.#workers[model.partition] = worker;
    for (const batch of this.#unreadBatches[model.partition]!.splice(0)) worker.receive(batch);
  }

  #report(report: Report): void {
    for (const batcher of this.batchers) {
      if (this.#parts.random.next() >= 0.02) this.#after(() => batcher.handle({ kind: "report", report }));
    }
  }

  #newProcessId(service: string): string {
    return `${service}-${(this.#processCount++).toString(16).padStart(16, "0")}`;
  }

  #after(act: () => void): void {
    this.#parts.events.after(0.3 + this.#parts.random.exponential(1), act);
  }
}

/** The default of KAFKA_SESSION_MS. */
const sessionMs = 3_000;

type SimulationParts = {
  events: EventQueue;
  random: Random;
  workers: WorkerModel[];
  callOf(task: TaskId): CallTasks;
};
