// Used by guarantees.sim.test.ts.
import assert from "node:assert/strict";
import { isHeavy } from "@faceline/batcher/scheduling/queue/batch-load";
import type { Event, Move } from "@faceline/batcher/scheduling/state/state";
import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";

/**
 * Checks every decision of a scheduler from outside, from its events and moves alone. Throws if a batch goes
 * to a worker that cannot take it, and counts how often each task ends.
 */
export class InvariantChecker {
  readonly endCounts = new Map<TaskId, number>();
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
    for (const move of moves) {
      if (move.kind === "answer") this.#end(move.task.id);
      if (move.kind === "ended") for (const task of move.tasks) this.#end(task);
      if (move.kind === "dispatch") this.#send(move.partition, move.batch, now);
    }
  };

  #applyReport(report: Report, now: number): void {
    const [partition] = report.partitions;
    const before = this.#holders[partition!];
    if (before?.report.worker === report.worker && before.report.sequence > report.sequence) return;
    const named = new Set(
      [report.running, ...report.staged, ...report.answering, ...report.finished].map((each) => each?.batch),
    );
    // What was sent to a process that fell silent counts as lost, and nobody knows how heavy it was.
    const isAlive = before?.report.worker === report.worker && now - before.reportedAt < silenceMaxMs;
    if (!isAlive) for (const { batch } of report.staged) this.#heavyBatches.delete(batch);
    const travelling = isAlive ? before.travelling.filter((batch) => !named.has(batch.id)) : [];
    this.#holders[partition!] = { report, reportedAt: now, travelling };
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
  }

  #end(task: TaskId): void {
    this.endCounts.set(task, (this.endCounts.get(task) ?? 0) + 1);
  }
}

const silenceMaxMs = 1_000;

/** The worker that holds a partition. */
type Holder = {
  /** Its latest report. */
  report: Report;
  reportedAt: number;
  /** Batches that were sent to it and that it has not named yet. */
  travelling: Batch[];
};
