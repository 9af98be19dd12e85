import assert from "node:assert/strict";
import type { BatchTask } from "@faceline/contracts/batch";
import { type CallId, callOf, type TaskId } from "@faceline/contracts/ids";

/**
 * What waits in a lane, fair over tenants: they take turns, one image a turn, and within a tenant the earliest deadline
 * goes first. This is deficit round robin: as every task costs one image, what a turn grants is spent at once, and
 * there is no deficit to keep.
 *
 *     a: a1 a2 a3 a4 a5 ┐
 *     b: b1             ├─► a1 b1 c1 a2 c2 a3 a4 a5
 *     c: c1 c2          ┘
 */
export class Tenants {
  /** Tenants that have something waiting; the first is next in turn. */
  readonly #ring: Tenant[] = [];
  readonly #named = new Map<string, Tenant>();
  readonly #calls = new Map<CallId, WaitingCall>();
  readonly #tasks = new Map<TaskId, Waiting>();
  /** As they came; those that no longer wait are skipped when they come to the front. */
  #arrivals: Waiting[] = [];
  #arrivalsFrom = 0;
  #head: Waiting | undefined;
  #arrived = 0;

  get waiting(): number {
    return this.#tasks.size;
  }

  get active(): number {
    return this.#ring.length;
  }

  waitingOf(tenant: string): number {
    return this.#named.get(tenant)?.queue.length ?? 0;
  }

  /** The place, counted from 1, of the last of `count` new tasks: behind its tenant's own, and as many of every other. */
  placeOfNew(tenant: string, count: number): number {
    const own = this.waitingOf(tenant) + count;
    let others = 0;
    for (const each of this.#ring) if (each.name !== tenant) others += Math.min(each.queue.length, own);
    return own + others;
  }

  add(tenant: string, tasks: BatchTask[], now: number): void {
    for (const task of tasks) {
      const waiting: Waiting = { task, tenant, arrivedAt: now, order: this.#arrived++ };
      this.#tasks.set(task.id, waiting);
      this.#arrivals.push(waiting);
      const id = callOf(task.id);
      const call = this.#calls.get(id) ?? { waiting: new Set(), begun: false };
      this.#calls.set(id, call);
      call.waiting.add(waiting);
      this.#queueOf(tenant).add(waiting);
      if (this.#head !== undefined && goesBefore(waiting, this.#head)) this.#head = waiting;
    }
  }

  /** The least deadline of all. */
  get head(): Waiting | undefined {
    if (this.#head === undefined) {
      for (const { queue } of this.#ring) {
        if (this.#head === undefined || goesBefore(queue[0]!, this.#head)) this.#head = queue[0];
      }
    }
    return this.#head;
  }

  /** The one that came first. */
  get oldest(): Waiting | undefined {
    while (this.#arrivalsFrom < this.#arrivals.length) {
      const first = this.#arrivals[this.#arrivalsFrom]!;
      if (this.#tasks.get(first.task.id) === first) return first;
      this.#arrivalsFrom++;
      if (this.#arrivalsFrom >= 1_024) {
        this.#arrivals = this.#arrivals.slice(this.#arrivalsFrom);
        this.#arrivalsFrom = 0;
      }
    }
    return undefined;
  }

  /** The first `count` in the order of turns. */
  inTurn(count: number): Waiting[] {
    const chosen: Waiting[] = [];
    let takingTurns: Tenant[] = this.#ring;
    for (let turn = 0; takingTurns.length > 0; turn++) {
      const withMore: Tenant[] = [];
      for (const tenant of takingTurns) {
        if (chosen.length === count) return chosen;
        chosen.push(tenant.queue[turn]!);
        if (tenant.queue.length > turn + 1) withMore.push(tenant);
      }
      takingTurns = withMore;
    }
    return chosen;
  }

  /** Takes out what `inTurn` showed. The next turn is the next tenant's. */
  take(count: number): BatchTask[] {
    const taken: BatchTask[] = [];
    for (let turn = 0; turn < count; turn++) {
      const tenant = this.#ring.shift();
      assert(tenant !== undefined, "took more tasks than wait");
      const waiting = tenant.queue[0]!;
      this.#ring.push(tenant);
      const call = this.#calls.get(callOf(waiting.task.id));
      if (call !== undefined) call.begun = true;
      this.#remove(waiting);
      taken.push(waiting.task);
    }
    return taken;
  }

  /** Some task of its call was sent already: to drop it would waste that work. */
  begun(waiting: Waiting): boolean {
    return this.#calls.get(callOf(waiting.task.id))?.begun ?? false;
  }

  /** No more of this tenant wait than an equal share of all that do. One that is alone has no share to keep to. */
  withinShare(tenant: string): boolean {
    return this.active > 1 && this.waitingOf(tenant) <= this.waiting / this.active;
  }

  /** The most that wait of any other tenant. */
  mostOfOthers(tenant: string): number {
    return this.#ring.reduce(
      (most, { name, queue }) => (name === tenant ? most : Math.max(most, queue.length)),
      0,
    );
  }

  removeCall(call: CallId): BatchTask[] {
    const waiting = [...(this.#calls.get(call)?.waiting ?? [])];
    for (const each of waiting) this.#remove(each);
    return waiting.map((each) => each.task);
  }

  removeTask(id: TaskId): void {
    const waiting = this.#tasks.get(id);
    if (waiting !== undefined) this.#remove(waiting);
  }

  #queueOf(name: string): Tenant {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const tenant = new Tenant(name);
    this.#named.set(name, tenant);
    this.#ring.push(tenant);
    return tenant;
  }

  #remove(waiting: Waiting): void {
    const tenant = this.#named.get(waiting.tenant)!;
    tenant.remove(waiting);
    if (tenant.queue.length === 0) {
      this.#named.delete(tenant.name);
      this.#ring.splice(this.#ring.lastIndexOf(tenant), 1);
    }
    this.#tasks.delete(waiting.task.id);
    if (this.#head === waiting) this.#head = undefined;
    const id = callOf(waiting.task.id);
    const call = this.#calls.get(id)!;
    call.waiting.delete(waiting);
    if (call.waiting.size === 0) this.#calls.delete(id);
  }
}

/** One tenant's tasks, earliest deadline first. */
class Tenant {
  readonly name: string;
  readonly queue: Waiting[] = [];

  constructor(name: string) {
    this.name = name;
  }

  add(waiting: Waiting): void {
    // From the end: most tasks have the same patience, so the newest has the latest deadline.
    let at = this.queue.length;
    while (at > 0 && goesBefore(waiting, this.queue[at - 1]!)) at--;
    this.queue.splice(at, 0, waiting);
  }

  remove(waiting: Waiting): void {
    if (this.queue[0] === waiting) {
      this.queue.shift();
      return;
    }
    let [from, to] = [0, this.queue.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (goesBefore(this.queue[middle]!, waiting)) from = middle + 1;
      else to = middle;
    }
    assert(this.queue[from] === waiting, "a task that does not wait was taken out");
    this.queue.splice(from, 1);
  }
}

const goesBefore = (a: Waiting, b: Waiting): boolean =>
  a.task.deadlineAt < b.task.deadlineAt || (a.task.deadlineAt === b.task.deadlineAt && a.order < b.order);

export type Waiting = { task: BatchTask; tenant: string; arrivedAt: number; order: number };

type WaitingCall = { waiting: Set<Waiting>; begun: boolean };
