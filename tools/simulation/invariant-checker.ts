// Used by guarantees.sim.test.ts.
import assert from "node:assert/strict";
import { isHeavy } from "@faceline/batcher/scheduling/queue/batch-load";
import type { Event, Move } from "@faceline/batcher/scheduling/state/state";
import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";

/**
 * Checks every decision of a scheduler from outside, from its events and moves alone. Throws if a batch goes
 * to a worker that cannot take it. Counts how often each task ends, and measures how long tasks are held
 * beside an idle worker.
 */
export class InvariantChecker {
  readonly endCounts = new Map<TaskId, number>();
  /** Waiting tasks, and when they arrived. */
  readonly waiting = new Map<TaskId, number>();
  longestHoldMs = 0;
  readonly #seed: number;
  /** Holders, by partition of the batches topic. */
  readonly #holders: Holder[] = [];
  /** Batches of tasks that are heavy to prepare: one is staged beside another batch. */
  readonly #heavyBatches = new Set<BatchId>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  watch = (event: Event, moves: Move[], now: number): void => {
    if (event.kind === "report") this.#applyReport(event.report, now);
    if (event.kind === "arrive") for (const task of event.call.tasks) this.waiting.set(task, now);
    if (event.kind === "partition_lost") this.#forgetTasks();
    for (const move of moves) {
      if (move.kind === "answer") this.#end(move.task.id);
      if (move.kind === "ended") for (const task of move.tasks) this.#end(task);
      if (move.kind === "dispatch") this.#send(move.partition, move.batch, now);
    }
    this.#measureHold(now);
  };

  /** Whether a worker has nothing to do and nothing travelling to it. */
  hasIdleWorker(now: number): boolean {
    return this.#holders.some((holder) => isIdle(holder, now));
  }

  #measureHold(now: number): void {
    const [oldestAt] = this.waiting.values();
    if (oldestAt === undefined || !this.hasIdleWorker(now)) return;
    const idle = this.#holders.filter((holder) => isIdle(holder, now));
    const idleSince = Math.min(...idle.map((holder) => holder.idleSince));
    this.longestHoldMs = Math.max(this.longestHoldMs, now - Math.max(oldestAt, idleSince));
  }

  #applyReport(report: Report, now: number): void {
    const [partition] = report.partitions;
    const before = this.#holders[partition!];
    if (before?.report.worker === report.worker && before.report.sequence > report.sequence) return;
    const named = new Set(
      [report.running, ...report.staged, ...report.answering, ...report.finished].map((each) => each?.batch),
    );
    // What was sent to a process that fell silent counts as lost.
    const isAlive = before?.report.worker === report.worker && now - before.reportedAt < silenceMaxMs;
    const travelling = isAlive ? before.travelling.filter((batch) => !named.has(batch.id)) : [];
    const wasIdle = before !== undefined && isIdle(before, now);
    const idleSince = wasIdle ? before.idleSince : now;
    this.#holders[partition!] = { report, reportedAt: now, travelling, idleSince };
  }

  /** The next batcher does not know what waits here, nor what still travels to the workers. */
  #forgetTasks(): void {
    this.waiting.clear();
    for (const holder of this.#holders) if (holder !== undefined) holder.travelling = [];
  }

  #send(partition: number, batch: Batch, now: number): void {
    const holder = this.#holders[partition];
    const violation = (what: string) => `seed ${this.#seed}: ${batch.id} was sent to a worker that ${what}`;
    assert.ok(holder !== undefined, violation("never reported"));
    const { report, reportedAt, travelling } = holder;
    const loaded = report.lanes.find((each) => each.lane === batch.lane);
    assert.ok(now - reportedAt < silenceMaxMs, violation("is silent"));
    assert.ok(!report.draining, violation("is stopping"));
    assert.ok(loaded !== undefined, violation("has not loaded the lane"));
    assert.ok(batch.tasks.length <= loaded.sizes.at(-1)!.size, violation("takes no batch so large"));
    const isHeavyBatch = batch.tasks.some(isHeavy);
    const staged = [
      ...report.staged.map((each) => each.batch),
      ...travelling.filter((each) => each.sentAt > now - 2_000).map((each) => each.id),
    ].filter((id) => this.#heavyBatches.has(id) === isHeavyBatch);
    assert.ok(staged.length === 0, violation(`has one staged already${isHeavyBatch ? ", a heavy one" : ""}`));
    if (isHeavyBatch) this.#heavyBatches.add(batch.id);
    holder.travelling.push(batch);
    for (const task of batch.tasks) this.waiting.delete(task.id);
  }

  #end(task: TaskId): void {
    this.endCounts.set(task, (this.endCounts.get(task) ?? 0) + 1);
    this.waiting.delete(task);
  }
}

const silenceMaxMs = 1_000;

function isIdle({ report, reportedAt, travelling }: Holder, now: number): boolean {
  const hasNothing = report.running === null && report.staged.length === 0 && travelling.length === 0;
  return hasNothing && now - reportedAt < silenceMaxMs;
}

/** The worker that holds a partition. */
type Holder = {
  /** Its latest report. */
  report: Report;
  reportedAt: number;
  /** Batches that were sent to it and that it has not named yet. */
  travelling: Batch[];
  idleSince: number;
};
