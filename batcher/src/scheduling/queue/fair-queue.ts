import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import { isHeavy } from "./batch-load.ts";
import { ArrayQueue, isDueBefore, type QueuedCall, type QueuedTask, TenantQueue } from "./tenant-queue.ts";

/**
 * The waiting tasks of a lane, fair over tenants: the tenant that has been served least goes next, and within
 * a tenant the earliest deadline. A task counts with its weight, which is 1 for an ordinary image: then
 * tenants take turns. This is start-time fair queueing (Goyal, Vin and Cheng, 1996): each tenant has a start
 * tag, which a served task raises by its weight, and the smallest start tag is served next.
 *
 *     a: a1 a2 a3 a4 a5 ┐
 *     b: b1             ├─► a1 b1 c1 a2 c2 a3 a4 a5
 *     c: c1 c2          ┘
 */
export class FairQueue {
  /** Tenants that have waiting tasks; of equal start tags the first is next. */
  readonly #ring: TenantQueue[] = [];
  /** Start tag of the task that was served last: virtual time, which never falls. */
  #virtualTime = 0;
  /** Start tags of tenants whose queue emptied while they were ahead. */
  readonly #startTags = new Map<string, number>();
  readonly #byTenant = new Map<string, TenantQueue>();
  readonly #byCall = new Map<CallId, QueuedCall>();
  /** Tasks in the order of arrival; removed ones are skipped when they come to the front. */
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

  /** Weight of the waiting tasks of all tenants, in light tasks. */
  get waitingWeight(): number {
    return this.#ring.reduce((sum, each) => sum + each.waitingWeight, 0);
  }

  waitingCountOf(tenant: string): number {
    return this.#byTenant.get(tenant)?.length ?? 0;
  }

  waitingWeightOf(tenant: string): number {
    return this.#byTenant.get(tenant)?.waitingWeight ?? 0;
  }

  /**
   * The position, counted from 1 in light tasks, that the last of new tasks with this weight would get:
   * behind the tenant's own tasks and as many of every other tenant.
   */
  positionOfNew(tenant: string, weight: number): number {
    const own = this.waitingWeightOf(tenant) + weight;
    let others = 0;
    for (const each of this.#ring) if (each.tenant !== tenant) others += Math.min(each.waitingWeight, own);
    return own + others;
  }

  /** Number of waiting tasks whose deadline is not after this one. */
  dueBeforeCount(deadlineAt: number): number {
    let due = 0;
    for (const each of this.#ring) due += each.dueBeforeCount(deadlineAt);
    return due;
  }

  /** Adds tasks of one call. */
  add(tenant: string, tasks: BatchTask[], now: number, weightOf: (task: BatchTask) => number): void {
    if (tasks.length === 0) return;
    const tenantQueue = this.#queueOf(tenant);
    const call = this.#callOf(tasks[0]!);
    for (const task of tasks) {
      const order = this.#addedCount++;
      const weight = weightOf(task);
      const queued: QueuedTask = {
        task,
        tenant: tenantQueue,
        call,
        queuedAt: now,
        weight,
        order,
        removed: false,
      };
      this.#arrivals.push(queued);
      call.waiting.push(queued);
      // While heavy tasks are passed over, light ones continue: a tenant that waited with only heavy ones
      // must not claim the turns that passed meanwhile.
      if (!isHeavy(task) && tenantQueue.light.length === 0) {
        tenantQueue.startTag = Math.max(tenantQueue.startTag, this.#earliestStartTag);
      }
      tenantQueue.add(queued);
      if (this.#head !== undefined && isDueBefore(queued, this.#head)) this.#head = queued;
    }
    this.#waitingCount += tasks.length;
  }

  /** The task with the earliest deadline of all. */
  get head(): QueuedTask | undefined {
    if (this.#head === undefined) {
      for (const tenant of this.#ring) {
        const first = tenant.head!;
        if (this.#head === undefined || isDueBefore(first, this.#head)) this.#head = first;
      }
    }
    return this.#head;
  }

  /** The task that arrived first. */
  get oldest(): QueuedTask | undefined {
    return this.#arrivals.at(0);
  }

  /** The first of `nextInTurn`, whatever its other limits are. */
  firstInTurn(heavyAllowed: boolean): QueuedTask | undefined {
    const tenant = this.#leastStartTag(heavyAllowed);
    return heavyAllowed ? tenant?.head : tenant?.light.at(0);
  }

  /**
   * The next tasks in the order of turns, within the limits of a batch; they stay queued. Where the first is
   * heavy all are heavy, otherwise none is.
   */
  nextInTurn({ countMax, heavyAllowed, extraCostMax }: BatchLimits): QueuedTask[] {
    const first = this.#leastStartTag(heavyAllowed);
    if (first === undefined) return [];
    const takesHeavy = heavyAllowed && isHeavy(first.head!.task);
    const candidates: Candidate[] = [];
    for (const { light, heavy, startTag } of this.#ring) {
      const tasks = takesHeavy ? heavy : light;
      if (tasks.length > 0) candidates.push({ tasks, startTag, taken: 0 });
    }
    const next: QueuedTask[] = [];
    let extraCost = 0;
    while (next.length < countMax) {
      let least: Candidate | undefined;
      for (const each of candidates) {
        if (each.taken < each.tasks.length && !(least && least.startTag <= each.startTag)) least = each;
      }
      if (least === undefined) break;
      const queued = least.tasks.at(least.taken++)!;
      extraCost += queued.task.cost - 1;
      if (next.length > 0 && extraCost > extraCostMax) break;
      least.startTag += queued.weight;
      next.push(queued);
    }
    return next;
  }

  /** Removes tasks that `nextInTurn` has shown, and counts their weights as served. Returns them. */
  dequeue(chosen: QueuedTask[]): BatchTask[] {
    for (const queued of chosen) {
      const { tenant } = queued;
      this.#virtualTime = Math.max(this.#virtualTime, tenant.startTag);
      tenant.startTag += queued.weight;
      queued.call.started = true;
      this.remove(queued);
    }
    return chosen.map((queued) => queued.task);
  }

  /** Counts `weight` as served to a tenant whose task turned out to take longer than its weight. */
  charge(tenant: string, weight: number): void {
    const waiting = this.#byTenant.get(tenant);
    if (waiting !== undefined) waiting.startTag += weight;
    else this.#remember(tenant, this.#startTagOf(tenant) + weight);
  }

  /** Start tag of a tenant that has nothing waiting, for its next task. */
  #startTagOf(tenant: string): number {
    return Math.max(this.#earliestStartTag, this.#startTags.get(tenant) ?? 0);
  }

  get #earliestStartTag(): number {
    return Math.max(0, this.#virtualTime - headStartMax);
  }

  #leastStartTag(heavyAllowed: boolean): TenantQueue | undefined {
    let least: TenantQueue | undefined;
    for (const each of this.#ring) {
      if (!heavyAllowed && each.light.length === 0) continue;
      if (least === undefined || each.startTag < least.startTag) least = each;
    }
    return least;
  }

  /**
   * Whether the tenant has no more waiting than an equal share of all tasks, by weight. A tenant that is
   * alone has no share.
   */
  isWithinShare(tenant: string): boolean {
    return this.activeTenants > 1 && this.waitingWeightOf(tenant) <= this.waitingWeight / this.activeTenants;
  }

  /** The most weight that any other tenant has waiting. */
  longestOtherQueue(tenant: string): number {
    let longest = 0;
    for (const each of this.#ring) {
      if (each.tenant !== tenant) longest = Math.max(longest, each.waitingWeight);
    }
    return longest;
  }

  /** Number of waiting tasks of each tenant that has some. */
  waitingCounts(): Map<string, number> {
    return new Map(this.#ring.map(({ tenant, length }) => [tenant, length]));
  }

  /** The calls that have waiting tasks, the oldest first. */
  calls(): Iterable<QueuedCall> {
    return this.#byCall.values();
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
    if (tenant.length === 0) this.#leaveRing(tenant);
    if (this.#head === queued) this.#head = undefined;
    if (call.waiting.length > 1) call.waiting.splice(call.waiting.indexOf(queued), 1);
    else this.#byCall.delete(call.id);
  }

  #queueOf(tenant: string): TenantQueue {
    const existing = this.#byTenant.get(tenant);
    if (existing !== undefined) return existing;
    const tenantQueue = new TenantQueue(tenant, this.#startTagOf(tenant));
    this.#startTags.delete(tenant);
    this.#byTenant.set(tenant, tenantQueue);
    this.#ring.push(tenantQueue);
    return tenantQueue;
  }

  #leaveRing({ tenant, startTag }: TenantQueue): void {
    this.#byTenant.delete(tenant);
    this.#ring.splice(
      this.#ring.findIndex((each) => each.tenant === tenant),
      1,
    );
    this.#remember(tenant, startTag);
  }

  #remember(tenant: string, startTag: number): void {
    if (startTag > this.#earliestStartTag) this.#startTags.set(tenant, startTag);
    if (this.#startTags.size <= startTagsMax) return;
    for (const [other, tag] of this.#startTags) {
      if (tag <= this.#earliestStartTag || this.#startTags.size > startTagsMax) this.#startTags.delete(other);
    }
  }

  #callOf(task: BatchTask): QueuedCall {
    const id = callIdOf(task.id);
    const existing = this.#byCall.get(id);
    if (existing !== undefined) return existing;
    const call: QueuedCall = { id, waiting: [], started: false };
    this.#byCall.set(id, call);
    return call;
  }
}

/** A tenant's waiting tasks, of which the first `taken` are chosen. */
type Candidate = { tasks: TenantQueue["light"]; startTag: number; taken: number };

export type BatchLimits = {
  countMax: number;
  /** False: heavy tasks are passed over. */
  heavyAllowed: boolean;
  /** Limit of the costs beyond 1 of all its tasks, unless the first task alone exceeds it. */
  extraCostMax: number;
};

/**
 * Distance, in light tasks, by which the start tag of a tenant that had nothing waiting may be below the
 * virtual time: the amount of unused share that it gets later. So all images of a small request go before the
 * next task of a tenant that always has some waiting.
 */
const headStartMax = 8;

/** Tenants without waiting tasks whose start tag is remembered. */
const startTagsMax = 1_000;
