import assert from "node:assert/strict";
import test from "node:test";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import { FairQueue } from "./fair-queue.ts";

test("tenants take turns, and within a tenant the earliest deadline goes first", () => {
  const queue = new FairQueue();
  queue.add("a", [task("a1", 10), task("a2", 20), task("a3", 30)], 0, light);
  queue.add("b", [task("b2", 9), task("b1", 5)], 1, light);
  queue.add("c", [task("c1", 50)], 2, light);
  assert.deepEqual(
    queue.nextInTurn(upTo(6)).map((each) => name(each.task)),
    ["a1", "b1", "c1", "a2", "b2", "a3"],
  );
  assert.deepEqual(queue.dequeue(queue.nextInTurn(upTo(2))).map(name), ["a1", "b1"]);
  // It is the third tenant's turn, and then a new tenant's: the others have had theirs.
  queue.add("d", [task("d1", 1)], 3, light);
  assert.deepEqual(queue.dequeue(queue.nextInTurn(upTo(5))).map(name), ["c1", "d1", "a2", "b2", "a3"]);
  assert.equal(queue.waitingCount, 0);
});

test("a small call of a tenant that left its share unused goes whole, before one that always has some waiting", () => {
  const queue = new FairQueue();
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
  queue.add(
    "flood",
    names.map((each) => task(each, 10)),
    0,
    light,
  );
  const serve = (count: number) => queue.dequeue(queue.nextInTurn(upTo(count))).map(name);
  serve(20);
  queue.add("quiet", [task("q1", 90), task("q2", 90), task("q3", 90)], 0, light);
  assert.deepEqual(serve(4), ["q1", "q2", "q3", "f20"]);
  // It has used most of what it had left, and gets no more of it at once than of its share.
  const many = Array.from({ length: 20 }, (_, index) => task(`m${index}`, 90));
  queue.add("quiet", many, 0, light);
  const next = serve(20);
  assert.equal(next.filter((each) => each.startsWith("f")).length, 7, next.join());
});

test("a tenant that is charged afterwards waits for its turn that much longer, also with nothing waiting", () => {
  const queue = new FairQueue();
  queue.add("a", [task("a1", 10), task("a2", 20)], 0, light);
  queue.add("b", [task("b1", 10), task("b2", 20), task("b3", 30)], 0, light);
  queue.charge("a", 1.5);
  queue.charge("c", 3.5);
  queue.add("c", [task("c1", 1)], 1, light);
  assert.deepEqual(queue.dequeue(queue.nextInTurn(upTo(6))).map(name), ["b1", "b2", "a1", "b3", "a2", "c1"]);
});

test("the head has the earliest deadline of all and the oldest task arrived first, also after removals", () => {
  const queue = new FairQueue();
  queue.add("a", [task("a1", 30)], 0, light);
  queue.add("b", [task("b1", 20)], 1, light);
  assert.equal(name(queue.head!.task), "b1");
  assert.equal(name(queue.oldest!.task), "a1");
  queue.removeTask(queue.head!.task.id);
  assert.equal(name(queue.head!.task), "a1");
  queue.removeCall(callIdOf(queue.head!.task.id));
  assert.equal(queue.head, undefined);
  assert.equal(queue.oldest, undefined);
});

test("behind a flood, the position of a new task counts as many of the flood as of its own tenant", () => {
  const queue = new FairQueue();
  queue.add(
    "flood",
    Array.from({ length: 100 }, (_, index) => task(`f${index}`, 10)),
    0,
    light,
  );
  assert.equal(queue.positionOfNew("quiet", 2), 4);
  assert.equal(queue.positionOfNew("flood", 2), 102);
  queue.add("quiet", [task("q1", 10)], 0, light);
  assert.equal(queue.isWithinShare("quiet"), true);
  assert.equal(queue.isWithinShare("flood"), false);
});

test("a tenant whose tasks weigh ten times as much gets a tenth of the turns, also after its queue was empty", () => {
  const queue = new FairQueue();
  const lightTasks = Array.from({ length: 30 }, (_, index) => task(`u${index}`, 10 + index));
  queue.add("light", lightTasks, 0, light);
  const order: string[] = [];
  for (let index = 0; index < 22; index++) {
    // One at a time, so that nothing of this tenant waits in between.
    if (queue.waitingCountOf("heavy") === 0) queue.add("heavy", [task(`h${index}`, 5)], 0, () => 10);
    order.push(...queue.dequeue(queue.nextInTurn(upTo(1))).map(name));
  }
  assert.equal(order.filter((each) => each.startsWith("h")).length, 2, order.join());
  assert.equal(queue.positionOfNew("light", 1), 11 + 10);
});

test("heavy tasks and others are never next together, and they join up to a cost beyond 1 each", () => {
  const queue = new FairQueue();
  const heavy = (call: string, cost: number) => ({ ...task(call, 10), cost });
  queue.add("a", [heavy("a1", 15), heavy("a2", 15), heavy("a3", 15), task("a4", 20)], 0, light);
  queue.add("b", [task("b1", 30), heavy("b2", 6), heavy("b3", 6)], 0, light);
  const names = (heavyAllowed: boolean, extraCostMax: number) =>
    queue.nextInTurn({ countMax: 8, heavyAllowed, extraCostMax }).map((each) => name(each.task));
  assert.deepEqual(names(true, 32), ["a1", "a2"]);
  assert.deepEqual(names(true, 8), ["a1"]);
  assert.deepEqual(names(false, 32), ["a4", "b2", "b3", "b1"]);
  assert.deepEqual(names(false, 8), ["a4", "b2"]);
});

test("a tenant whose heavy task was passed over for long takes turns with its other tasks like everybody", () => {
  const queue = new FairQueue();
  queue.add("a", [{ ...task("heavy", 10), cost: 100 }], 0, light);
  for (let index = 0; index < 50; index++) {
    queue.add("b", [task(`b${index}`, 20)], 0, light);
    queue.dequeue(queue.nextInTurn({ ...upTo(1), heavyAllowed: false }));
  }
  queue.add("b", [task("b50", 20)], 0, light);
  const names = Array.from({ length: 11 }, (_, index) => `a${index}`);
  queue.add(
    "a",
    names.map((each) => task(each, 20)),
    0,
    light,
  );
  assert.deepEqual(
    queue.nextInTurn({ ...upTo(12), heavyAllowed: false }).map((each) => name(each.task)),
    [...names.slice(0, 10), "b50", "a10"],
  );
});

const upTo = (countMax: number) => ({ countMax, heavyAllowed: true, extraCostMax: 32 });

const light = () => 1;
const nonce = "nnnnnnnnnnnnnnnn";
const task = (call: string, deadlineAt: number) =>
  ({ id: `${call}/${nonce}/0`, deadlineAt, cost: 1 }) as unknown as BatchTask;
const name = ({ id }: BatchTask): string => callIdOf(id).replace(`/${nonce}`, "");
