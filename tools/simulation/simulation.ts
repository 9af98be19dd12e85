// Used by every *.sim.test.ts of this folder; its arrivals and times were compared with a real stack.
import type { Event, Move } from "@faceline/batcher/scheduling/state/state";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { CallId, TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import type { Arrival } from "./arrivals.ts";
import { EventQueue } from "./event-queue.ts";
import { Random } from "./random.ts";
import {
  type CallPath,
  type Hops,
  lane,
  productionScheduler,
  type Scenario,
  type Scheduler,
  startAt,
} from "./scenario.ts";
import { type Answer, type Call, SimulatedClients } from "./simulated-clients.ts";
import { SimulatedWorker } from "./simulated-worker.ts";
import { builtAs, type WorkerModel } from "./worker-model.ts";

/**
 * A pool in simulated time: calls arrive, the scheduler decides, simulated workers run. Every random number
 * comes from one seed, and the scheduler is the one of production: only its environment is simulated.
 *
 *     arrivals ──intake──► scheduler ──to worker──► workers ──reply──► clients
 *                              ▲                      │
 *                              └────────report────────┘
 */
export class Simulation {
  readonly events = new EventQueue(startAt);
  readonly batches: Batch[] = [];
  readonly #clients: SimulatedClients;
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #forgets: boolean;
  readonly #path: CallPath;
  readonly #scheduler: Scheduler;
  /** Workers by partition; undefined while a process starts. */
  readonly #workers: (SimulatedWorker | undefined)[] = [];
  /** Batches that were sent while no worker held their partition, by partition. */
  readonly #unreadBatches: Batch[][] = [];
  /** Every call that was sent to the tasks topic, in its order. */
  readonly #topic: CallTasks[] = [];
  /** Tasks that the scheduler has ended: their offsets are committed. */
  readonly #ended = new Set<TaskId>();
  #holdsPartition = true;
  #processCount = 0;
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#clients = new SimulatedClients(lane, scenario.callEnded);
    this.#random = new Random(scenario.seed);
    this.#forgets = scenario.callEnded !== undefined;
    if (this.#forgets && scenario.partitionLosses !== undefined) {
      throw new Error("calls that are forgotten cannot be read again after a rebalance");
    }
    this.#path = scenario.openPath?.({ events: this.events, random: this.#random.branch() }) ?? {
      intake: (_, done) => this.events.after(this.#hopMs("intakeMs"), done),
      toWorker: (_, done) => this.events.after(this.#hopMs("toWorkerMs"), done),
      report: (done) => this.events.after(this.#hopMs("reportMs"), done),
      reply: (_, done) => this.events.after(this.#hopMs("replyMs"), done),
    };
    this.#scheduler = (scenario.scheduler ?? productionScheduler)(scenario);
    for (const model of scenario.workers) {
      this.#unreadBatches[model.partition] = [];
      this.#startWorker(model);
      for (const { atMs } of model.deaths ?? []) {
        this.events.at(startAt + atMs, () => this.#killWorker(model));
      }
    }
    for (const { atMs, forMs } of scenario.partitionLosses ?? []) {
      this.events.at(startAt + atMs, () => this.#losePartition());
      this.events.at(startAt + atMs + forMs, () => this.#regainPartition());
    }
    this.#scheduleArrival(0);
    this.#scheduleTick();
  }

  get calls(): ReadonlyMap<CallId, Call> {
    return this.#clients.calls;
  }

  run(forMs: number): this {
    this.events.runUntil(startAt + forMs);
    return this;
  }

  #handle(event: Event): void {
    const { now } = this.events;
    const moves = this.#scheduler.decide(event, now);
    this.#scenario.watch?.(event, moves, now);
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const move of moves) {
      if (move.kind === "wake") wakeAt = move.at;
      else this.#act(move);
    }
    this.#wake(wakeAt);
  }

  #act(move: Exclude<Move, { kind: "wake" }>): void {
    switch (move.kind) {
      case "dispatch":
        if (!this.#forgets) this.batches.push(move.batch);
        this.#path.toWorker(move.batch, () => this.#deliver(move.partition, move.batch));
        return;
      case "answer": {
        const { id: task } = move.task;
        const { kind, reason }: Pick<Answer, "kind" | "reason"> = move.outcome;
        const answer = reason === undefined ? { task, kind } : { task, kind, reason };
        if (!this.#forgets) this.#ended.add(task);
        this.events.after(this.#hopMs("replyMs"), () =>
          this.#clients.answer({ ...answer, at: this.events.now }),
        );
        return;
      }
      case "ended":
        if (!this.#forgets) for (const task of move.tasks) this.#ended.add(task);
        return;
      case "batch_ended":
        return;
    }
  }

  /** One timer, as in the scheduler loop: the latest wake replaces the one before. */
  #wake(at: number): void {
    // An event for this instant waits already.
    if (at === this.#wakeAt) return;
    this.#wakeAt = at;
    if (!Number.isFinite(at)) return;
    this.events.at(at, () => {
      if (this.#wakeAt !== at) return;
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#handle({ kind: "timer" });
    });
  }

  /** The tick of the scheduler loop, which finds silent workers. */
  #scheduleTick(): void {
    this.events.after(tickEveryMs, () => {
      this.#handle({ kind: "timer" });
      this.#scheduleTick();
    });
  }

  /** Each call schedules the next one: all of them at once would only fill the event queue. */
  #scheduleArrival(index: number): void {
    const arrival = this.#scenario.arrivals.at(index);
    if (arrival === undefined) return;
    this.events.at(startAt + arrival.atMs, () => {
      this.#arrive(index, arrival);
      this.#scheduleArrival(index + 1);
    });
  }

  #arrive(index: number, arrival: Arrival): void {
    const call = this.#clients.call(index, arrival, this.events.now);
    this.#path.intake(call, () => {
      if (!this.#forgets) this.#topic.push(call);
      if (this.#holdsPartition) this.#handle({ kind: "arrive", call });
    });
  }

  /**
   * Another batcher gets the tasks partition. It is not simulated: until the partition is back, calls wait
   * unread.
   */
  #losePartition(): void {
    this.#holdsPartition = false;
    this.#handle({ kind: "partition_lost" });
  }

  /** The partition is back: every call with tasks that have not ended and have no answer is read again. */
  #regainPartition(): void {
    this.#holdsPartition = true;
    this.#handle({ kind: "partition_assigned" });
    for (const call of this.#topic) {
      const { answers } = this.calls.get(call.call)!;
      const answered = new Set(answers.map((answer) => answer.task));
      const answeredBy = answers.find(({ build }) => build !== undefined)?.build;
      const tasks = call.tasks.filter((task) => !this.#ended.has(task) && !answered.has(task));
      if (tasks.length > 0) this.#handle({ kind: "arrive", call: { ...call, tasks }, answeredBy });
    }
  }

  #deliver(partition: number, batch: Batch): void {
    const worker = this.#workers[partition];
    if (worker === undefined) this.#unreadBatches[partition]!.push(batch);
    else worker.receive(batch);
  }

  #startWorker(model: WorkerModel): void {
    const id = `inference-${(this.#processCount++).toString(16).padStart(16, "0")}`;
    const worker = new SimulatedWorker(id, model, {
      events: this.events,
      random: this.#random.branch(),
      replyMs: () => this.#hopMs("replyMs"),
      report: (report: Report) => this.#path.report(() => this.#handle({ kind: "report", report })),
      answer: (batch, tasksRun, times) =>
        this.#path.reply(batch, () => {
          const run = { build: builtAs(model), times, now: this.events.now };
          this.#clients.answerBatch(batch, new Set(tasksRun), run);
        }),
      isPreparationEndless: (tasks) => this.#scenario.isPreparationEndless?.(tasks) ?? false,
      runOf: (tasks) => this.#scenario.runOf?.(tasks) ?? "answered",
      runEnded: (tasks, times) => this.#scenario.runEnded?.(tasks, times),
      killed: () => this.#killWorker(model),
    });
    this.#workers[model.partition] = worker;
    for (const batch of this.#unreadBatches[model.partition]!.splice(0)) worker.receive(batch);
  }

  #killWorker(model: WorkerModel): void {
    this.#workers[model.partition]?.die();
    this.#workers[model.partition] = undefined;
    this.events.after(model.coldStartMs, () => this.#startWorker(model));
  }

  #hopMs(hop: keyof Hops): number {
    const { [hop]: ms, jitter = 0 } = this.#scenario.hops;
    return jitter === 0 ? ms : ms * (1 - jitter) + this.#random.exponential(ms * jitter);
  }
}

const tickEveryMs = 100;
