import assert from "node:assert/strict";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import { ArrayQueue, isDueBefore, type QueuedCall, type QueuedTask, TenantQueue } from "./tenant-queue.ts";

/**
 * The waiting tasks of a lane, fair over tenants: tenants take turns, one image a turn, and within a tenant
 * the earliest deadline goes first. This is deficit round robin (Shreedhar and Varghese, 1995): every task
 * costs one image, so a turn's quantum is spent at once and there is no deficit to keep.
 *
 *     a: a1 a2 a3 a4 a5 ┐
 *     b: b1             ├─► a1 b1 c1 a2 c2 a3 a4 a5
 *     c: c1 c2          ┘
 */
export class FairQueue {
  /** Tenants that have waiting tasks, in the order of turns. */
  readonly #ring: TenantQueue[] = [];
  /** Index in the ring of the tenant whose turn is next. */
  #next = 0;
  readonly #byTenant = new Map<string, TenantQueue>();
  readonly #byCall = new Map<CallId, QueuedCall>();
  /** In the order of arrival; removed tasks are skipped when they come to the front. */
  readonly #arrivals = new ArrayQueue<QueuedTask>();
  #head: QueuedTask | undefined;
  #addedCount = 0;
  #waitingCount = 0;

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Number of tenants that have waiting tasks. */
  get activeTenants(): number {
    return this.#ring.length;
  }

  waitingCountOf(tenant: string): number {
    return this.#byTenant.get(tenant)?.tasks.length ?? 0;
  }

  /**
   * The position, counted from 1, that the last of `count` new tasks would get: behind the tenant's own
   * tasks, and as many of every other tenant.
   */
  positionOfNew(tenant: string, count: number): number {
    const own = this.waitingCountOf(tenant) + count;
    let others = 0;
    for (const each of this.#ring) if (each.tenant !== tenant) others += Math.min(each.tasks.length, own);
    return own + others;
  }

  /** Number of waiting tasks whose deadline is not after this one. */
  dueBeforeCount(deadlineAt: number): number {
    let due = 0;
    for (const each of this.#ring) due += each.dueBeforeCount(deadlineAt);
    return due;
  }

  /** Adds tasks of one call. */
  add(tenant: string, tasks: BatchTask[], now: number): void {
    if (tasks.length === 0) return;
    const tenantQueue = this.#queueOf(tenant);
    const call = this.#callOf(tasks[0]!);
    for (const task of tasks) {
      const order = this.#addedCount++;
      const queued: QueuedTask = { task, tenant: tenantQueue, call, queuedAt: now, order, removed: false };
      this.#arrivals.push(queued);
      call.waiting.push(queued);
      tenantQueue.add(queued);
      if (this.#head !== undefined && isDueBefore(queued, this.#head)) this.#head = queued;
    }
    this.#waitingCount += tasks.length;
  }

  /** The task with the earliest deadline of all. */
  get head(): QueuedTask | undefined {
    if (this.#head === undefined) {
      for (const { tasks } of this.#ring) {
        const first = tasks.at(0)!;
        if (this.#head === undefined || isDueBefore(first, this.#head)) this.#head = first;
      }
    }
    return this.#head;
  }

  /** The task that arrived first. */
  get oldest(): QueuedTask | undefined {
    return this.#arrivals.at(0);
  }

  /** The next `count` tasks in the order of turns; they stay queued. */
  nextInTurn(count: number): QueuedTask[] {
    const next: QueuedTask[] = [];
    const length = Math.min(count, this.#waitingCount);
    for (let turn = 0; next.length < length; turn++) {
      for (let step = 0; step < this.#ring.length && next.length < length; step++) {
        const queued = this.#ring[(this.#next + step) % this.#ring.length]!.tasks.at(turn);
        if (queued !== undefined) next.push(queued);
      }
    }
    return next;
  }

  /** Removes and returns the tasks that `nextInTurn` showed. The next turn is the next tenant's. */
  dequeue(count: number): BatchTask[] {
    const tasks: BatchTask[] = [];
    for (let turn = 0; turn < count; turn++) {
      const tenantQueue = this.#ring[this.#next];
      assert(tenantQueue !== undefined, "more tasks were dequeued than wait");
      const queued = tenantQueue.tasks.at(0)!;
      queued.call.started = true;
      this.remove(queued);
      if (tenantQueue.tasks.length > 0) this.#next++;
      if (this.#next === this.#ring.length) this.#next = 0;
      tasks.push(queued.task);
    }
    return tasks;
  }

  /**
   * Whether the tenant has no more waiting than an equal share of all tasks. A tenant that is alone has no
   * share.
   */
  isWithinShare(tenant: string): boolean {
    return this.activeTenants > 1 && this.waitingCountOf(tenant) <= this.waitingCount / this.activeTenants;
  }

  /** The most tasks that any other tenant has waiting. */
  longestOtherQueue(tenant: string): number {
    let longest = 0;
    for (const each of this.#ring) if (each.tenant !== tenant) longest = Math.max(longest, each.tasks.length);
    return longest;
  }

  /**
   * Returns the calls that give way so that `count` places become free: always the newest of the tenant with
   * the most waiting. Undefined if that is not possible. Calls that have begun stay, and so do the calls of
   * tenants with no more waiting than `ownCount`.
   */
  callsToGiveWay(count: number, ownCount: number): CallId[] | undefined {
    const waiting = new Map(this.#ring.map((each) => [each, each.tasks.length]));
    const calls = [...this.#byCall.values()].filter((call) => !call.started);
    const chosen: CallId[] = [];
    for (let freed = 0; freed < count; ) {
      const longest = Math.max(...waiting.values());
      if (longest <= ownCount) return undefined;
      const newest = calls.findLastIndex(({ waiting: [first] }) => waiting.get(first!.tenant) === longest);
      if (newest < 0) {
        // All that it has left has begun.
        for (const [each, length] of waiting) if (length === longest) waiting.delete(each);
        continue;
      }
      const [call] = calls.splice(newest, 1);
      const { tenant } = call!.waiting[0]!;
      waiting.set(tenant, longest - call!.waiting.length);
      freed += call!.waiting.length;
      chosen.push(call!.id);
    }
    return chosen;
  }

  /** The calls that have waiting tasks. */
  calls(): Iterable<CallId> {
    return this.#byCall.keys();
  }

  tasksOf(call: CallId): BatchTask[] {
    return (this.#byCall.get(call)?.waiting ?? []).map(({ task }) => task);
  }

  /** The tenant of a call; undefined if none of its tasks waits. */
  tenantOf(call: CallId): string | undefined {
    return this.#byCall.get(call)?.waiting[0]?.tenant.tenant;
  }

  removeCall(call: CallId): BatchTask[] {
    const waiting = [...(this.#byCall.get(call)?.waiting ?? [])];
    for (const queued of waiting) this.remove(queued);
    return waiting.map((queued) => queued.task);
  }

  removeTask(id: TaskId): void {
    const queued = this.#byCall.get(callIdOf(id))?.waiting.find((each) => each.task.id === id);
    if (queued !== undefined) this.remove(queued);
  }

  remove(queued: QueuedTask): void {
    const { tenant, call } = queued;
    queued.removed = true;
    this.#waitingCount--;
    tenant.remove(queued);
    while (this.#arrivals.at(0)?.removed) this.#arrivals.shift();
    if (tenant.tasks.length === 0) this.#leaveRing(tenant);
    if (this.#head === queued) this.#head = undefined;
    if (call.waiting.length > 1) call.waiting.splice(call.waiting.indexOf(queued), 1);
    else this.#byCall.delete(call.id);
  }

  #queueOf(tenant: string): TenantQueue {
    const known = this.#byTenant.get(tenant);
    if (known !== undefined) return known;
    const tenantQueue = new TenantQueue(tenant);
    this.#byTenant.set(tenant, tenantQueue);
    // Last in the order of turns: just before the tenant that is next.
    this.#ring.splice(this.#next, 0, tenantQueue);
    this.#next = (this.#next + 1) % this.#ring.length;
    return tenantQueue;
  }

  #leaveRing(tenantQueue: TenantQueue): void {
    this.#byTenant.delete(tenantQueue.tenant);
    const index = this.#ring.indexOf(tenantQueue);
    this.#ring.splice(index, 1);
    if (index < this.#next) this.#next--;
    if (this.#next === this.#ring.length) this.#next = 0;
  }

  #callOf(task: BatchTask): QueuedCall {
    const id = callIdOf(task.id);
    const known = this.#byCall.get(id);
    if (known !== undefined) return known;
    const call: QueuedCall = { id, waiting: [], started: false };
    this.#byCall.set(id, call);
    return call;
  }
}
