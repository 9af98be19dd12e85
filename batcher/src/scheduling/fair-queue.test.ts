import assert from "node:assert/strict";
import test from "node:test";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import { FairQueue } from "./fair-queue.ts";

test("tenants take turns, and within a tenant the earliest deadline goes first", () => {
  const tenants = new FairQueue();
  tenants.add("a", [task("a1", 10), task("a2", 20), task("a3", 30)], 0);
  tenants.add("b", [task("b2", 9), task("b1", 5)], 1);
  tenants.add("c", [task("c1", 50)], 2);
  assert.deepEqual(
    tenants.nextInTurn(6).map((each) => name(each.task)),
    ["a1", "b1", "c1", "a2", "b2", "a3"],
  );
  assert.deepEqual(tenants.dequeue(2).map(name), ["a1", "b1"]);
  // It is the third's turn now, and who comes new waits for his.
  tenants.add("d", [task("d1", 1)], 3);
  assert.deepEqual(tenants.dequeue(5).map(name), ["c1", "a2", "b2", "d1", "a3"]);
  assert.equal(tenants.waitingCount, 0);
});

test("the head has the least deadline of all, and the oldest came first, whoever leaves meanwhile", () => {
  const tenants = new FairQueue();
  tenants.add("a", [task("a1", 30)], 0);
  tenants.add("b", [task("b1", 20)], 1);
  assert.equal(name(tenants.head!.task), "b1");
  assert.equal(name(tenants.oldest!.task), "a1");
  tenants.removeTask(tenants.head!.task.id);
  assert.equal(name(tenants.head!.task), "a1");
  tenants.removeCall(callIdOf(tenants.head!.task.id));
  assert.equal(tenants.head, undefined);
  assert.equal(tenants.oldest, undefined);
});

test("behind a flood a tenant's place counts as many of the flood as of its own", () => {
  const tenants = new FairQueue();
  tenants.add(
    "flood",
    Array.from({ length: 100 }, (_, index) => task(`f${index}`, 10)),
    0,
  );
  assert.equal(tenants.positionOfNew("quiet", 2), 4);
  assert.equal(tenants.positionOfNew("flood", 2), 102);
  tenants.add("quiet", [task("q1", 10)], 0);
  assert.equal(tenants.isWithinShare("quiet"), true);
  assert.equal(tenants.isWithinShare("flood"), false);
});

const nonce = "nnnnnnnnnnnnnnnn";
const task = (call: string, deadlineAt: number) =>
  ({ id: `${call}/${nonce}/0`, deadlineAt }) as unknown as BatchTask;
const name = ({ id }: BatchTask): string => callIdOf(id).replace(`/${nonce}`, "");
