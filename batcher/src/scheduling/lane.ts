import type { BatchTask } from "@faceline/contracts/batch";
import type { CallId, Lane as LaneName, TaskId } from "@faceline/contracts/ids";
import { callOf } from "@faceline/contracts/ids";
import { TimeModel } from "./time-model.ts";

/**
 * What waits for one model and detector, and how long its batches take.
 *
 *     arrive ──► [ waiting, earliest deadline first ] ──► take(n) ──► a batch
 *     a batch that came back ──► [ parts, first of all, never mixed with others ] ──► takePart()
 */
export class Lane {
  readonly name: LaneName;
  readonly prepare = new TimeModel(prepareGuesses);
  readonly parts: Part[] = [];
  run = new TimeModel(runGuesses);
  /** The batch sizes that workers have warmed, ascending. One, until a worker has told us. */
  sizes: number[] = [1];
  #warmed = false;
  #waiting: BatchTask[] = [];

  constructor(name: LaneName) {
    this.name = name;
  }

  /** The first worker's warm-up times replace the guess: a wrong one could lock the useful size at 1 for ever. */
  warm(sizes: { size: number; runMs: number }[]): void {
    if (this.#warmed) return;
    this.#warmed = true;
    this.sizes = sizes.map((each) => each.size);
    this.run = new TimeModel(sizes.map(({ size, runMs }) => ({ size, ms: runMs })));
  }

  get waiting(): number {
    return this.#waiting.length + this.parts.reduce((sum, part) => sum + part.tasks.length, 0);
  }

  /** The least deadline. */
  get head(): BatchTask | undefined {
    return this.#waiting[0];
  }

  add(tasks: BatchTask[]): void {
    for (const task of tasks) {
      // From the end: most tasks have the same patience, so the newest has the latest deadline.
      let at = this.#waiting.length;
      while (at > 0 && this.#waiting[at - 1]!.deadlineAt > task.deadlineAt) at--;
      this.#waiting.splice(at, 0, task);
    }
  }

  take(count: number): BatchTask[] {
    return this.#waiting.splice(0, count);
  }

  /** Takes out what waits of these tasks, and returns it. */
  remove(gone: (task: BatchTask) => boolean): BatchTask[] {
    const removed = this.#waiting.filter(gone);
    if (removed.length > 0) this.#waiting = this.#waiting.filter((task) => !gone(task));
    for (const part of this.parts) {
      removed.push(...part.tasks.filter(gone));
      part.tasks = part.tasks.filter((task) => !gone(task));
    }
    const left = this.parts.filter((part) => part.tasks.length > 0);
    this.parts.splice(0, this.parts.length, ...left);
    return removed;
  }

  removeCall(call: CallId): BatchTask[] {
    return this.remove((task) => callOf(task.id) === call);
  }

  removeTasks(ids: ReadonlySet<TaskId>): BatchTask[] {
    return this.remove((task) => ids.has(task.id));
  }

  get batchMax(): number {
    return this.sizes.at(-1)!;
  }

  /** What a batch of so many is padded to. */
  bucket(count: number): number {
    return this.sizes.find((size) => size >= count) ?? this.batchMax;
  }

  /**
   * The useful size: the smallest that reaches 95 % of the best throughput. On a GPU it is large; on a CPU, where a
   * batch takes as long as its tasks one by one, it is 1 to 4, and nobody waits for neighbours.
   */
  get usefulSize(): number {
    const throughput = (size: number) => size / this.run.meanMs(size);
    const best = Math.max(...this.sizes.map(throughput));
    return this.sizes.find((size) => throughput(size) >= usefulShare * best)!;
  }
}

const usefulShare = 0.95;

const runGuesses = [{ size: 1, ms: 100 }];

/** Fetch and decode before any was measured: one photograph of a megapixel, and four on two cores. */
const prepareGuesses = [
  { size: 1, ms: 20 },
  { size: 4, ms: 50 },
];

/** Tasks of a batch that came back: they stay apart from others, so that a poison image costs no neighbour. */
export type Part = { tasks: BatchTask[]; attempt: number; lostWithWorker: boolean };
