import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, laneId, type TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { decide } from "../src/scheduling/decide.ts";
import { type Event, type Move, newState } from "../src/scheduling/state.ts";
import { Random } from "../testing/random.ts";
import type { Arrival } from "./arrivals.ts";
import { EventQueue } from "./event-queue.ts";
import { SimulatedWorker, type WorkerModel } from "./simulated-worker.ts";

/**
 * A pool in simulated time: calls arrive, the scheduler decides, modelled workers run. Everything that is drawn comes
 * from one seed, and the scheduler is the one that serves: only its surroundings are modelled.
 *
 *     arrivals ──intake──► scheduler ──to worker──► workers ──reply──► clients
 *                              ▲                      │
 *                              └────────report────────┘
 */
export class Simulation {
  readonly events = new EventQueue(startAt);
  readonly calls = new Map<CallId, Call>();
  readonly batches: Batch[] = [];
  readonly #setting: Scenario;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  /** By partition; none while a process is started. */
  readonly #workers: (SimulatedWorker | undefined)[] = [];
  /** Batches that came while nobody held the partition. */
  readonly #unread: Batch[][] = [];
  #processes = 0;
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(setting: Scenario) {
    this.#setting = setting;
    this.#random = new Random(setting.seed);
    this.#scheduler = (setting.scheduler ?? productionScheduler)(setting);
    for (const model of setting.workers) {
      this.#unread[model.partition] = [];
      this.#start(model);
      for (const { atMs } of model.deaths ?? []) {
        this.events.at(startAt + atMs, () => this.#kill(model));
      }
    }
    this.#await(0);
    this.#look();
  }

  run(forMs: number): this {
    this.events.runUntil(startAt + forMs);
    return this;
  }

  #tell(event: Event): void {
    const { now } = this.events;
    const moves = this.#scheduler(event, now);
    this.#setting.watch?.(event, moves, now);
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
        this.batches.push(move.batch);
        this.events.after(this.#hop("toWorkerMs"), () => this.#deliver(move.partition, move.batch));
        return;
      case "answer": {
        const { id } = move.task;
        const outcome: Pick<Answer, "kind" | "reason"> = move.outcome;
        this.events.after(this.#hop("replyMs"), () => this.#answered(id, outcome));
        return;
      }
      case "ended":
        for (const task of move.tasks) this.calls.get(callIdOf(task))!.ended.push(task);
        return;
    }
  }

  /** One timer, as the batcher has: the last wake that was asked for counts. */
  #wake(at: number): void {
    this.#wakeAt = at;
    if (!Number.isFinite(at)) return;
    this.events.at(at, () => {
      if (this.#wakeAt !== at) return;
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#tell({ kind: "timer" });
    });
  }

  /** Silence is not an event: the batcher looks for it. */
  #look(): void {
    this.events.after(lookEveryMs, () => {
      this.#tell({ kind: "timer" });
      this.#look();
    });
  }

  /** Each call notes the next one: all of them at once would only fill the agenda. */
  #await(index: number): void {
    const arrival = this.#setting.arrivals[index];
    if (arrival === undefined) return;
    this.events.at(startAt + arrival.atMs, () => {
      this.#arrive(index, arrival);
      this.#await(index + 1);
    });
  }

  #arrive(index: number, { tenant, tasks, timeBudgetMs, lane: of = lane }: Arrival): void {
    const { now } = this.events;
    const id = `${index}/${nonce}` as CallId;
    const message: CallTasks = {
      requestId: `${index}` as CallTasks["requestId"],
      call: id,
      tenant,
      lane: of,
      ingress: "ingress-0000000000000000",
      arrivedAt: now,
      deadlineAt: now + timeBudgetMs,
      options,
      traceparent,
      tasks: Array.from({ length: tasks }, (_, task) => `${id}/${task}` as TaskId),
    };
    const call = { tenant, arrivedAt: now, deadlineAt: message.deadlineAt, tasks: message.tasks };
    this.calls.set(id, { ...call, answers: [], ended: [] });
    this.events.after(this.#hop("intakeMs"), () => this.#tell({ kind: "arrive", call: message }));
  }

  #deliver(partition: number, batch: Batch): void {
    const worker = this.#workers[partition];
    if (worker === undefined) this.#unread[partition]!.push(batch);
    else worker.take(batch);
  }

  #start(model: WorkerModel): void {
    const id = `inference-${(this.#processes++).toString(16).padStart(16, "0")}`;
    const worker = new SimulatedWorker(id, model, {
      agenda: this.events,
      random: this.#random.branch(),
      replyMs: () => this.#hop("replyMs"),
      report: (report: Report) =>
        this.events.after(this.#hop("reportMs"), () => this.#tell({ kind: "report", report })),
      answer: (batch, ran) => this.#reply(batch, new Set(ran)),
      runOf: (tasks) => this.#setting.runOf?.(tasks) ?? "answered",
      killed: () => this.#kill(model),
    });
    this.#workers[model.partition] = worker;
    for (const batch of this.#unread[model.partition]!.splice(0)) worker.take(batch);
  }

  #kill(model: WorkerModel): void {
    this.#workers[model.partition]?.die();
    this.#workers[model.partition] = undefined;
    this.events.after(model.coldStartMs, () => this.#start(model));
  }

  #reply(batch: Batch, ran: Set<BatchTask>): void {
    this.events.after(this.#hop("replyMs"), () => {
      for (const task of batch.tasks) this.#answered(task.id, { kind: ran.has(task) ? "faces" : "expired" });
    });
  }

  #answered(task: TaskId, outcome: Pick<Answer, "kind" | "reason">): void {
    const answer: Answer = { task, kind: outcome.kind, at: this.events.now };
    if (outcome.reason !== undefined) answer.reason = outcome.reason;
    this.calls.get(callIdOf(task))!.answers.push(answer);
  }

  #hop(which: keyof Hops): number {
    const { [which]: ms, jitter = 0 } = this.#setting.hops;
    return jitter === 0 ? ms : ms * (1 - jitter) + this.#random.exponential(ms * jitter);
  }
}

/** The scheduler of the product. */
const productionScheduler: NewScheduler = ({ hops }) => {
  const settings = { laneWaitingMax: 100_000, hopMs: hops.toWorkerMs, replyMs: hops.replyMs };
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
const lookEveryMs = 100;

export type Scenario = {
  seed: number;
  /** In the order of time. */
  arrivals: Arrival[];
  workers: WorkerModel[];
  hops: Hops & { jitter?: number };
  /** Another than the product's, to compare with. */
  scheduler?: NewScheduler;
  /** How a run of these tasks ends. */
  runOf?: (tasks: BatchTask[]) => "answered" | "failed" | "killed";
  /** Sees every decision. */
  watch?: (event: Event, moves: Move[], now: number) => void;
};

type Hops = { intakeMs: number; toWorkerMs: number; reportMs: number; replyMs: number };

export type NewScheduler = (setting: Scenario) => Scheduler;
export type Scheduler = (event: Event, now: number) => Move[];

/** What became of a call. The first answer to a task stands. */
export type Call = {
  tenant: string;
  arrivedAt: number;
  deadlineAt: number;
  tasks: TaskId[];
  answers: Answer[];
  /** Tasks that the scheduler gave back as ended. */
  ended: TaskId[];
};

export type Answer = {
  task: TaskId;
  kind: "faces" | "shed" | "expired" | "failed";
  at: number;
  /** Of a refusal or failure. */
  reason?: string;
};
