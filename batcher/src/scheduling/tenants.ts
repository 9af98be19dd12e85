import assert from "node:assert/strict";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";

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
  /** Tenants that have something waiting, and which of them is next in turn. */
  readonly #ring: Tenant[] = [];
  #next = 0;
  readonly #named = new Map<string, Tenant>();
  readonly #calls = new Map<CallId, WaitingCall>();
  /** As they came; those that no longer wait are skipped when they come to the front. */
  readonly #arrivals = new Line<Waiting>();
  #head: Waiting | undefined;
  #arrived = 0;
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
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

  /** How many wait whose deadline is not after this one. */
  dueBefore(deadlineAt: number): number {
    let due = 0;
    for (const tenant of this.#ring) due += tenant.dueBefore(deadlineAt);
    return due;
  }

  /** Tasks of one call. */
  add(name: string, tasks: BatchTask[], now: number): void {
    if (tasks.length === 0) return;
    const tenant = this.#tenant(name);
    const call = this.#callOf(tasks[0]!);
    for (const task of tasks) {
      const waiting: Waiting = { task, tenant, call, arrivedAt: now, order: this.#arrived++, left: false };
      this.#arrivals.push(waiting);
      call.waiting.push(waiting);
      tenant.add(waiting);
      if (this.#head !== undefined && goesBefore(waiting, this.#head)) this.#head = waiting;
    }
    this.#waiting += tasks.length;
  }

  /** The least deadline of all. */
  get head(): Waiting | undefined {
    if (this.#head === undefined) {
      for (const { queue } of this.#ring) {
        const first = queue.at(0)!;
        if (this.#head === undefined || goesBefore(first, this.#head)) this.#head = first;
      }
    }
    return this.#head;
  }

  /** The one that came first. */
  get oldest(): Waiting | undefined {
    return this.#arrivals.at(0);
  }

  /** The first `count` in the order of turns. */
  inTurn(count: number): Waiting[] {
    const chosen: Waiting[] = [];
    const most = Math.min(count, this.#waiting);
    for (let turn = 0; chosen.length < most; turn++) {
      for (let step = 0; step < this.#ring.length && chosen.length < most; step++) {
        const waiting = this.#ring[(this.#next + step) % this.#ring.length]!.queue.at(turn);
        if (waiting !== undefined) chosen.push(waiting);
      }
    }
    return chosen;
  }

  /** Takes out what `inTurn` showed. The next turn is the next tenant's. */
  take(count: number): BatchTask[] {
    const taken: BatchTask[] = [];
    for (let turn = 0; turn < count; turn++) {
      const tenant = this.#ring[this.#next];
      assert(tenant !== undefined, "took more tasks than wait");
      const waiting = tenant.queue.at(0)!;
      waiting.call.begun = true;
      this.remove(waiting);
      if (tenant.queue.length > 0) this.#next++;
      if (this.#next === this.#ring.length) this.#next = 0;
      taken.push(waiting.task);
    }
    return taken;
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
    for (const each of waiting) this.remove(each);
    return waiting.map((each) => each.task);
  }

  removeTask(id: TaskId): void {
    const waiting = this.#calls.get(callIdOf(id))?.waiting.find((each) => each.task.id === id);
    if (waiting !== undefined) this.remove(waiting);
  }

  remove(waiting: Waiting): void {
    const { tenant, call } = waiting;
    waiting.left = true;
    this.#waiting--;
    tenant.remove(waiting);
    while (this.#arrivals.at(0)?.left) this.#arrivals.shift();
    if (tenant.queue.length === 0) this.#leave(tenant);
    if (this.#head === waiting) this.#head = undefined;
    if (call.waiting.length > 1) call.waiting.splice(call.waiting.indexOf(waiting), 1);
    else this.#calls.delete(call.id);
  }

  #tenant(name: string): Tenant {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const tenant = new Tenant(name);
    this.#named.set(name, tenant);
    // Last in turn: just before the one that is next.
    this.#ring.splice(this.#next, 0, tenant);
    this.#next = (this.#next + 1) % this.#ring.length;
    return tenant;
  }

  #leave(tenant: Tenant): void {
    this.#named.delete(tenant.name);
    const at = this.#ring.indexOf(tenant);
    this.#ring.splice(at, 1);
    if (at < this.#next) this.#next--;
    if (this.#next === this.#ring.length) this.#next = 0;
  }

  #callOf(task: BatchTask): WaitingCall {
    const id = callIdOf(task.id);
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call: WaitingCall = { id, waiting: [], begun: false };
    this.#calls.set(id, call);
    return call;
  }
}

/** One tenant's tasks, earliest deadline first. */
class Tenant {
  readonly name: string;
  readonly queue = new Line<Waiting>();

  constructor(name: string) {
    this.name = name;
  }

  add(waiting: Waiting): void {
    // Most tasks have the same patience, so the newest has the latest deadline.
    const last = this.queue.at(this.queue.length - 1);
    if (last === undefined || goesBefore(last, waiting)) this.queue.push(waiting);
    else this.queue.insert(this.#placeOf(waiting), waiting);
  }

  dueBefore(deadlineAt: number): number {
    return this.#count((each) => each.task.deadlineAt <= deadlineAt);
  }

  remove(waiting: Waiting): void {
    const place = this.queue.at(0) === waiting ? 0 : this.#placeOf(waiting);
    assert(this.queue.at(place) === waiting, "a task that does not wait was taken out");
    this.queue.remove(place);
  }

  #placeOf(waiting: Waiting): number {
    return this.#count((each) => goesBefore(each, waiting));
  }

  /** Of how many, from the front, this is true. */
  #count(holds: (each: Waiting) => boolean): number {
    let [from, to] = [0, this.queue.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (holds(this.queue.at(middle)!)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** An array whose front is left cheaply, also where thousands stand in it. */
class Line<Item> {
  #items: Item[] = [];
  #from = 0;

  get length(): number {
    return this.#items.length - this.#from;
  }

  at(place: number): Item | undefined {
    return place < 0 ? undefined : this.#items[this.#from + place];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  insert(place: number, item: Item): void {
    this.#items.splice(this.#from + place, 0, item);
  }

  remove(place: number): void {
    if (place === 0) this.shift();
    else this.#items.splice(this.#from + place, 1);
  }

  shift(): void {
    this.#from++;
    // What has left is forgotten in one go, when it is as much as what stands.
    if (this.#from < 64 || this.#from < this.length) return;
    this.#items = this.#items.slice(this.#from);
    this.#from = 0;
  }
}

const goesBefore = (a: Waiting, b: Waiting): boolean =>
  a.task.deadlineAt < b.task.deadlineAt || (a.task.deadlineAt === b.task.deadlineAt && a.order < b.order);

export type Waiting = {
  readonly task: BatchTask;
  readonly tenant: Tenant;
  readonly call: WaitingCall;
  readonly arrivedAt: number;
  readonly order: number;
  /** It does not wait any more. */
  left: boolean;
};

type WaitingCall = {
  readonly id: CallId;
  readonly waiting: Waiting[];
  /** Some task of it was sent already: to drop the others would waste that work. */
  begun: boolean;
};
