import { costUnitMs } from "@faceline/contracts/image/decoding-cost";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { ServiceClass } from "@faceline/contracts/wire/task";
import { ArrivalRate } from "../estimates/arrival-rate.ts";
import { type BatchLoad, isHeavy, loadOf } from "../queue/batch-load.ts";
import { Throughputs } from "../estimates/cycle-times.ts";
import type { FairQueue } from "../queue/fair-queue.ts";
import { SpareWorkers } from "../estimates/spare-workers.ts";
import { TenantDemand } from "../estimates/tenant-demand.ts";
import { TimeModel } from "../estimates/time-model.ts";
import { type TaskGroup, WaitingTasks } from "../queue/waiting-tasks.ts";
import { HoldTime } from "../queue/waiting-time.ts";

/**
 * One model with one detector in one build: its waiting tasks, and what was learned of its arrivals and run
 * times. Everything is learned of standard tasks alone, or best-effort ones could make their wait longer.
 */
export class Lane {
  readonly id: LaneId;
  /** Null while no worker has reported the lane: then its calls wait for the first one. */
  build: LaneBuild | null;
  readonly createdAt: number;
  readonly waiting: Record<ServiceClass, WaitingTasks> = {
    standard: new WaitingTasks(),
    best_effort: new WaitingTasks(),
  };
  /** What standard tasks leave. */
  readonly spare = new SpareWorkers();
  readonly hold = new HoldTime();
  readonly arrivals = new ArrivalRate();
  readonly demand = new TenantDemand();
  /** Run time by padded size. */
  run = new TimeModel(runTimeGuess, "guessed");
  /** Time to fetch and decode the images of a batch, by the sum of their costs. */
  readonly prepare = new TimeModel(prepareTimeGuess, "guessed");
  /** The same for heavy batches: their times vary too much to share a model with light ones. */
  readonly prepareHeavy = new TimeModel(prepareHeavyTimeGuess, "guessed");
  readonly throughputs = new Throughputs();
  /** Exponentially weighted mean of the costs of tasks that are not heavy. */
  usualCost = 1;
  /** Instant at which a task that is not heavy arrived last. */
  usualArrivedAt = Number.NEGATIVE_INFINITY;
  /** The batch sizes that workers have warmed up, ascending; only 1 before the first report. */
  sizes: number[] = [1];
  /** Instant of the last warm-up or run whose time was learned. */
  learnedAt = Number.NEGATIVE_INFINITY;
  /** Instant at which a call of each class came while no worker had loaded the lane. */
  readonly wantedAt: Record<ServiceClass, number> = {
    standard: Number.NEGATIVE_INFINITY,
    best_effort: Number.NEGATIVE_INFINITY,
  };
  /** Instant since which standard calls want the lane while no worker has it; undefined if none does. */
  wantedSince: number | undefined;
  /** Instant of the last standard call; at first, of the lane's creation. */
  calledAt: number;
  /** Instant since which standard tasks have waited without a pause; undefined while none waits. */
  waitingSince: number | undefined;
  /** A call that was accepted although it is predicted to be late, to learn whether the prediction holds. */
  probe: CallId | undefined;
  #warmedUp = false;

  constructor(id: LaneId, build: LaneBuild | null, now: number) {
    this.id = id;
    this.build = build;
    this.createdAt = now;
    this.calledAt = now;
  }

  get key(): LaneKey {
    return laneKey(this.id, this.build);
  }

  /**
   * Takes the first worker's warm-up times over the guess: a wrong guess could keep the useful size at 1 for
   * ever.
   */
  warmUp(sizes: { size: number; runMs: number }[], now: number): void {
    if (this.#warmedUp) return;
    this.#warmedUp = true;
    this.learnedAt = now;
    this.sizes = sizes.map((each) => each.size);
    this.run = new TimeModel(sizes.map(({ size, runMs }) => ({ size, ms: runMs })));
  }

  /** Of standard tasks, as all that follows unless it says otherwise. */
  get queue(): FairQueue {
    return this.waiting.standard.queue;
  }

  get retryParts(): TaskGroup[] {
    return this.waiting.standard.retryParts;
  }

  get waitingCount(): number {
    return this.waiting.standard.count;
  }

  /** See WaitingTasks. */
  dueBeforeCount(deadlineAt: number): number {
    return this.waiting.standard.dueBeforeCount(deadlineAt);
  }

  get batchMax(): number {
    return this.sizes.at(-1)!;
  }

  /** The size that a batch of `count` tasks is padded to, and takes the time of. */
  paddedSize(count: number): number {
    for (const size of this.sizes) if (size >= count) return size;
    return this.batchMax;
  }

  /** Expected run time in ms of a batch of `count` tasks: for capacity and for staging just in time. */
  meanMs(count: number): number {
    return this.run.meanMs(this.paddedSize(count));
  }

  /** Pessimistic run time in ms of a batch of `count` tasks: for whether it can still meet a deadline. */
  highMs(count: number): number {
    return this.run.highMs(this.paddedSize(count));
  }

  /** Returns the load of a batch of `count` light tasks. */
  usualLoad(count: number): BatchLoad {
    return { count, cost: count * this.usualCost, isHeavy: false };
  }

  /** Expected time in ms to prepare a batch. */
  prepareMs({ cost, isHeavy }: BatchLoad): number {
    return (isHeavy ? this.prepareHeavy : this.prepare).meanMs(cost);
  }

  /** Pessimistic time in ms to prepare a batch. */
  prepareHighMs({ cost, isHeavy }: BatchLoad): number {
    return (isHeavy ? this.prepareHeavy : this.prepare).highMs(cost);
  }

  learnPrepareMs({ cost, isHeavy }: BatchLoad, ms: number): void {
    (isHeavy ? this.prepareHeavy : this.prepare).learn(roundedCost(cost), ms);
  }

  /**
   * How much of a worker's time a task takes, in light tasks, of which each takes `usualMs`: at least 1. A
   * task that is prepared while others run takes time only where its preparation is the longer of both.
   */
  weightOf(task: BatchTask, usualMs: number): number {
    const ms = isHeavy(task) ? this.prepareMs(loadOf([task])) : this.prepare.line.beta * task.cost;
    return Math.max(1, ms / usualMs);
  }

  /** Of either class, as the rest. A call has one class. */
  removeCall(call: CallId): BatchTask[] {
    return this.#classes.flatMap((each) => each.removeCall(call));
  }

  /** Calls that have waiting tasks. */
  waitingCalls(): Set<CallId> {
    return new Set(this.#classes.flatMap((each) => [...each.calls()]));
  }

  waitingTasksOf(call: CallId): BatchTask[] {
    return this.#classes.flatMap((each) => each.tasksOf(call));
  }

  removeTasks(ids: readonly TaskId[]): void {
    for (const each of this.#classes) each.removeTasks(ids);
  }

  get #classes(): WaitingTasks[] {
    return [this.waiting.standard, this.waiting.best_effort];
  }
}

/** Identifies a lane in the scheduler: model, detector and build. */
export const laneKey = (id: LaneId, build: LaneBuild | null): LaneKey =>
  `${id} ${build?.digest ?? "unbuilt"}` as LaneKey;
export type LaneKey = string & { readonly brand: unique symbol };

const runTimeGuess = [{ size: 1, ms: 100 }];

/** Before any was measured: one photograph of a megapixel, and four on two cores. */
const prepareTimeGuess = [
  { size: 1, ms: 20 },
  { size: 4, ms: 50 },
];

/** As on the reference machine. */
const prepareHeavyTimeGuess = [
  { size: 10, ms: 10 * costUnitMs },
  { size: 100, ms: 100 * costUnitMs },
];

/** A time model keeps a mean for each size: costs above 16 are rounded to three binary digits. */
function roundedCost(cost: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(cost)) - 3);
  return Math.max(1, Math.round(cost / step)) * step;
}
