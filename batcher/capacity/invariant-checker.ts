import assert from "node:assert/strict";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Report } from "@faceline/contracts/wire/report";
import type { Event, Move } from "../src/scheduling/state.ts";

/**
 * Watches every decision of a scheduler from outside, by what it was told and what it said, and objects where a task
 * ends twice, a batch goes to a worker that cannot take it, or somebody is held without need.
 */
export class InvariantChecker {
  readonly ends = new Map<TaskId, number>();
  readonly waiting = new Map<TaskId, number>();
  longestHoldMs = 0;
  readonly #seed: number;
  /** By partition: what its holder said last, when, and what was sent to it that it has not named yet. */
  readonly #holders: Holder[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  watch = (event: Event, moves: Move[], now: number): void => {
    if (event.kind === "report") this.#hear(event.report, now);
    if (event.kind === "arrive") for (const task of event.call.tasks) this.waiting.set(task, now);
    for (const move of moves) {
      if (move.kind === "answer") this.#end(move.task.id);
      if (move.kind === "ended") for (const task of move.tasks) this.#end(task);
      if (move.kind === "dispatch") this.#send(move.partition, move.batch, now);
    }
    if (this.idle(now)) {
      for (const since of this.waiting.values()) {
        this.longestHoldMs = Math.max(this.longestHoldMs, now - Math.max(since, this.#idleSince(now)));
        break;
      }
    }
  };

  /** A worker has nothing to do and nothing on its way. */
  idle(now: number): boolean {
    return this.#holders.some((each) => idle(each, now));
  }

  #idleSince(now: number): number {
    return Math.min(...this.#holders.filter((each) => idle(each, now)).map((each) => each.idleSince));
  }

  #hear(report: Report, now: number): void {
    const [partition] = report.partitions;
    const before = this.#holders[partition!];
    if (before?.report.worker === report.worker && before.report.sequence > report.sequence) return;
    const named = new Set(
      [report.running, ...report.staged, ...report.answering, ...report.finished].map((each) => each?.batch),
    );
    // What was sent to a process that fell silent counts as lost.
    const same = before?.report.worker === report.worker && now - before.heardAt < 1_000;
    const onTheWay = same ? before.onTheWay.filter((batch) => !named.has(batch.id)) : [];
    const wasIdle = before !== undefined && idle(before, now);
    const holder = { report, heardAt: now, onTheWay, idleSince: wasIdle ? before.idleSince : now };
    this.#holders[partition!] = holder;
  }

  #send(partition: number, batch: Batch, now: number): void {
    const holder = this.#holders[partition];
    const complain = (what: string) => `seed ${this.#seed}: ${batch.id} was sent to a worker that ${what}`;
    assert.ok(holder !== undefined, complain("never reported"));
    const { report, heardAt, onTheWay } = holder;
    const loaded = report.lanes.find((each) => each.lane === batch.lane);
    assert.ok(now - heardAt < 1_000, complain("is silent"));
    assert.ok(!report.draining, complain("is stopping"));
    assert.ok(loaded !== undefined, complain("has not loaded the lane"));
    assert.ok(batch.tasks.length <= loaded.sizes.at(-1)!.size, complain("takes no batch so large"));
    const behind = report.staged.length + onTheWay.filter((each) => each.sentAt > now - 2_000).length;
    assert.ok(behind === 0, complain("has one staged already"));
    holder.onTheWay.push(batch);
    for (const task of batch.tasks) this.waiting.delete(task.id);
  }

  #end(task: TaskId): void {
    this.ends.set(task, (this.ends.get(task) ?? 0) + 1);
    this.waiting.delete(task);
  }
}

function idle({ report, heardAt, onTheWay }: Holder, now: number): boolean {
  const nothing = report.running === null && report.staged.length === 0 && onTheWay.length === 0;
  return nothing && now - heardAt < 1_000;
}

type Holder = { report: Report; heardAt: number; onTheWay: Batch[]; idleSince: number };
