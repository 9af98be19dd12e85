// Used by every simulation/*.sim.test.ts; its arrivals and times were compared with a real stack (see
// BENCHMARKS.md).
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, laneId, type TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { noWait } from "@faceline/contracts/wire/timing";
import { decide } from "../src/scheduling/decide.ts";
import { type Event, type Move, newState, type SchedulingSettings } from "../src/scheduling/state.ts";
import { Random } from "./random.ts";
import type { Arrival, Arrivals } from "./arrivals.ts";
import { EventQueue } from "./event-queue.ts";
import { builtAs, SimulatedWorker, type WorkerModel, type WorkerTimes } from "./simulated-worker.ts";

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
  readonly calls = new Map<CallId, Call>();
  readonly batches: Batch[] = [];
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #forgets: boolean;
  readonly #path: CallPath;
  readonly #scheduler: Scheduler;
  /** By partition; undefined while a process starts. */
  readonly #workers: (SimulatedWorker | undefined)[] = [];
  /** By partition: batches that were sent while no worker held it. */
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
    this.#random = new Random(scenario.seed);
    this.#forgets = scenario.callEnded !== undefined;
    if (this.#forgets && scenario.partitionLosses !== undefined) {
      throw new Error("calls that are forgotten cannot be read again after a rebalance");
    }
    this.#path = scenario.openPath?.({ events: this.events, random: this.#random.branch() }) ?? {
      intake: (_, done) => this.events.after(this.#hopMs("intakeMs"), done),
      toWorker: (_, done) => this.events.after(this.#hopMs("toWorkerMs"), done),
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

  run(forMs: number): this {
    this.events.runUntil(startAt + forMs);
    return this;
  }

  /** A further worker begins to serve now, on a partition that no other one has. */
  addWorker(model: WorkerModel): void {
    this.#unreadBatches[model.partition] ??= [];
    this.#startWorker(model);
  }

  /** A worker takes no further batch, and ends when it has run those that it has. */
  removeWorker(partition: number): void {
    this.#workers[partition]?.drain(() => {
      this.#workers[partition] = undefined;
    });
  }

  #handle(event: Event): void {
    const { now } = this.events;
    const moves = this.#scheduler(event, now);
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
        const { id } = move.task;
        const outcome: Pick<Answer, "kind" | "reason"> = move.outcome;
        if (!this.#forgets) this.#ended.add(id);
        this.events.after(this.#hopMs("replyMs"), () => this.#answer(id, outcome));
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
    const { tenant, tasks, timeBudgetMs, cost = 1, costs, lane: calledLane = lane } = arrival;
    const { serviceClass = "standard" } = arrival;
    const { now } = this.events;
    const id = `${index}/${nonce}` as CallId;
    const taskIds: TaskId[] = [];
    for (let task = 0; task < tasks; task++) taskIds.push(`${id}/${task}` as TaskId);
    const message: CallTasks = {
      requestId: `${index}` as CallTasks["requestId"],
      call: id,
      tenant,
      lane: calledLane,
      ingress: "ingress-0000000000000000",
      arrivedAt: now,
      deadlineAt: now + timeBudgetMs,
      serviceClass,
      options,
      traceparent,
      tasks: taskIds,
      costs: costs === undefined ? taskIds.map(() => cost) : [...costs],
    };
    const { arrivedAt, deadlineAt } = message;
    this.calls.set(id, { tenant, arrivedAt, deadlineAt, tasks: message.tasks, answers: [] });
    this.#path.intake(message, () => {
      if (!this.#forgets) this.#topic.push(message);
      if (this.#holdsPartition) this.#handle({ kind: "arrive", call: message });
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
      report: (report: Report) =>
        this.events.after(this.#hopMs("reportMs"), () => this.#handle({ kind: "report", report })),
      answer: (batch, tasksRun, times) =>
        this.#answerBatch(batch, new Set(tasksRun), { build: builtAs(model), times }),
      isPreparationEndless: (tasks) => this.#scenario.isPreparationEndless?.(tasks) ?? false,
      runOf: (tasks) => this.#scenario.runOf?.(tasks) ?? "answered",
      runEnded: (size, runMs) => this.#scenario.runEnded?.(size, runMs),
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

  #answerBatch(
    batch: Batch,
    tasksRun: Set<BatchTask>,
    { build, times }: { build: LaneBuild; times: WorkerTimes },
  ): void {
    this.#path.reply(batch, () => {
      for (const task of batch.tasks) {
        const { queueMs, holdMs, retryMs } = task.waited ?? noWait;
        const waitMs = queueMs + holdMs + retryMs + times.behindOthersMs;
        const { prepareMs, runMs } = times;
        const kind = tasksRun.has(task) ? "faces" : "expired";
        this.#answer(task.id, { kind, build, stages: { waitMs, prepareMs, runMs } });
      }
    });
  }

  #answer(task: TaskId, outcome: Pick<Answer, "kind" | "reason" | "build" | "stages">): void {
    const answer: Answer = { task, kind: outcome.kind, at: this.events.now };
    if (outcome.reason !== undefined) answer.reason = outcome.reason;
    if (outcome.build !== undefined) answer.build = outcome.build;
    if (outcome.stages !== undefined) answer.stages = outcome.stages;
    const id = callIdOf(task);
    const call = this.calls.get(id);
    // A second answer to a task, after its call was forgotten.
    if (call === undefined) return;
    call.answers.push(answer);
    if (this.#scenario.callEnded === undefined || call.answers.length < call.tasks.length) return;
    this.calls.delete(id);
    this.#scenario.callEnded(call);
  }

  #hopMs(hop: keyof Hops): number {
    const { [hop]: ms, jitter = 0 } = this.#scenario.hops;
    return jitter === 0 ? ms : ms * (1 - jitter) + this.#random.exponential(ms * jitter);
  }
}

/** What a batcher starts with: the defaults of LANE_WAITING_MAX and UTILISATION_TARGET. */
export const startSettings = {
  laneWaitingMax: 2_048,
  utilisationTarget: 0.85,
  batchMax: Number.POSITIVE_INFINITY,
};

const productionScheduler: NewScheduler = ({ hops, settings: given }) => {
  const guesses = { hopMs: hops.toWorkerMs, replyMs: hops.replyMs };
  const settings = { ...startSettings, ...guesses, ...given };
  const state = newState("batcher-0000000000000000", settings);
  return (event, now) => decide(state, event, now);
};

export const lane = laneId("Dlib", "ssd");
export const secondLane = laneId("Dlib", "tiny");
const nonce = "n".repeat(16);
const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
/** Instants are positive. */
export const startAt = 1_000_000;
const tickEveryMs = 100;

export type Scenario = {
  seed: number;
  /** In the order of time. */
  arrivals: Arrivals;
  workers: WorkerModel[];
  hops: Hops & { jitter?: number };
  /**
   * Takes messages to their receivers in place of `hops`, which then are what the scheduler guesses first.
   */
  openPath?: (environment: { events: EventQueue; random: Random }) => CallPath;
  /** Rebalances in which this batcher loses the tasks partition, and gets it back after `forMs`. */
  partitionLosses?: { atMs: number; forMs: number }[];
  /** Those of production by default. */
  settings?: Partial<SchedulingSettings>;
  /**
   * Called when a call has an answer to each of its tasks. Then nothing is kept of it, nor of batches, so
   * that millions of calls fit in memory.
   */
  callEnded?: (call: Call) => void;
  /** Called at the end of every run with its number of tasks and its time. */
  runEnded?: (size: number, runMs: number) => void;
  /** To compare with; the scheduler of production by default. */
  scheduler?: NewScheduler;
  /** Whether the preparation of these tasks never ends; none by default. */
  isPreparationEndless?: (tasks: BatchTask[]) => boolean;
  /** How a run of these tasks ends; `answered` by default. */
  runOf?: (tasks: BatchTask[]) => "answered" | "failed" | "killed";
  /** Called with every decision. */
  watch?: (event: Event, moves: Move[], now: number) => void;
};

/** Takes messages to their receivers in simulated time, and calls `done` when they are there. */
export type CallPath = {
  /** From the client to the scheduler. */
  intake(call: CallTasks, done: () => void): void;
  toWorker(batch: Batch, done: () => void): void;
  /** From the end of a run to the client. */
  reply(batch: Batch, done: () => void): void;
};

type Hops = { intakeMs: number; toWorkerMs: number; reportMs: number; replyMs: number };

export type NewScheduler = (scenario: Scenario) => Scheduler;
type Scheduler = (event: Event, now: number) => Move[];

/** A call and the answers to its tasks. The first answer to a task counts. */
export type Call = {
  tenant: string;
  arrivedAt: number;
  deadlineAt: number;
  tasks: TaskId[];
  answers: Answer[];
};

export type Answer = {
  task: TaskId;
  kind: "faces" | "shed" | "expired" | "failed";
  at: number;
  /** Why the task was refused or failed. */
  reason?: string;
  /** Of the worker that gave it. */
  build?: LaneBuild;
  /** Where its time went between the arrival at the scheduler and the end of its run. */
  stages?: { waitMs: number; prepareMs: number; runMs: number };
};
