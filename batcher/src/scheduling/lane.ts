import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { CallId, LaneId, TaskId } from "@faceline/contracts/wire/ids";
import { callIdOf } from "@faceline/contracts/wire/ids";
import { ArrivalRate } from "./arrival-rate.ts";
import { Offers } from "./offers.ts";
import { Tenants } from "./tenants.ts";
import { TimeModel } from "./time-model.ts";

/**
 * What waits for one model and detector, and what was learned of it: how fast tasks come, how long batches take.
 *
 *     arrive ──► [ tenants, in turns; earliest deadline first within one ] ──► a batch
 *     a batch that came back ──► [ parts, first of all, never mixed with others ] ──► a batch
 */
export class Lane {
  readonly name: LaneId;
  readonly tenants = new Tenants();
  readonly arrivals = new ArrivalRate();
  readonly offers = new Offers();
  parts: Part[] = [];
  run = new TimeModel(runGuesses, "guessed");
  /** Fetch and decode. */
  readonly prepare = new TimeModel(prepareGuesses, "guessed");
  /** The batch sizes that workers have warmed, ascending. One, until a worker has told us. */
  sizes: number[] = [1];
  /** When a batch last told how long it took. */
  learnedAt = Number.NEGATIVE_INFINITY;
  /** A call that was admitted although it seems hopeless, to learn whether it is. */
  trial: CallId | undefined;
  #warmed = false;

  constructor(name: LaneId) {
    this.name = name;
  }

  /** The first worker's warm-up times replace the guess: a wrong one could lock the useful size at 1 for ever. */
  warm(sizes: { size: number; runMs: number }[], now: number): void {
    if (this.#warmed) return;
    this.#warmed = true;
    this.learnedAt = now;
    this.sizes = sizes.map((each) => each.size);
    this.run = new TimeModel(sizes.map(({ size, runMs }) => ({ size, ms: runMs })));
  }

  get waiting(): number {
    let waiting = this.tenants.waiting;
    for (const part of this.parts) waiting += part.tasks.length;
    return waiting;
  }

  /** How many wait whose deadline is not after this one. */
  dueBefore(deadlineAt: number): number {
    let due = this.tenants.dueBefore(deadlineAt);
    for (const part of this.parts) due += part.tasks.length;
    return due;
  }

  get batchMax(): number {
    return this.sizes.at(-1)!;
  }

  /** What a batch of so many is padded to, and paid for. */
  bucket(count: number): number {
    for (const size of this.sizes) if (size >= count) return size;
    return this.batchMax;
  }

  /** How long a batch of so many runs: for staging and capacity, and for "can it still make it". */
  meanMs(count: number): number {
    return this.run.meanMs(this.bucket(count));
  }

  highMs(count: number): number {
    return this.run.highMs(this.bucket(count));
  }

  removeCall(call: CallId): BatchTask[] {
    return [...this.#removeFromParts((task) => callIdOf(task.id) === call), ...this.tenants.removeCall(call)];
  }

  removeTasks(ids: TaskId[]): void {
    for (const id of ids) this.tenants.removeTask(id);
    const gone = new Set(ids);
    this.#removeFromParts((task) => gone.has(task.id));
  }

  #removeFromParts(gone: (task: BatchTask) => boolean): BatchTask[] {
    if (this.parts.length === 0) return [];
    const removed = this.parts.flatMap((part) => part.tasks.filter(gone));
    if (removed.length === 0) return removed;
    this.parts = this.parts
      .map((part) => ({ ...part, tasks: part.tasks.filter((task) => !gone(task)) }))
      .filter((part) => part.tasks.length > 0);
    return removed;
  }
}

const runGuesses = [{ size: 1, ms: 100 }];

/** Before any was measured: one photograph of a megapixel, and four on two cores. */
const prepareGuesses = [
  { size: 1, ms: 20 },
  { size: 4, ms: 50 },
];

/** Tasks of a batch that came back: they stay apart from others, so that a poison image costs no neighbour. */
export type Part = { tasks: BatchTask[]; attempt: number; lostWithWorker: boolean };
