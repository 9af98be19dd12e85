import assert from "node:assert/strict";
import test from "node:test";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { Ledger } from "./ledger.ts";

const tasks = (...names: string[]) => names as TaskId[];

test("the low-water mark is the first message of which a task has not ended", () => {
  const ledger = new Ledger();
  assert.equal(ledger.lowWater, undefined);
  ledger.record(7n, tasks("a0", "a1"));
  ledger.record(8n, tasks("b0"));
  assert.equal(ledger.lowWater, 7n);
  ledger.end(tasks("b0", "a0"));
  assert.equal(ledger.lowWater, 7n);
  ledger.end(tasks("a1"));
  assert.equal(ledger.lowWater, 9n);
});

test("a message without tasks has ended once it is read", () => {
  const ledger = new Ledger();
  ledger.record(3n, []);
  assert.equal(ledger.lowWater, 4n);
});

test("a message that was sent twice counts once: the earlier offset protects its tasks", () => {
  const ledger = new Ledger();
  ledger.record(10n, tasks("a0", "a1"));
  ledger.record(11n, tasks("b0"));
  assert.equal(ledger.record(12n, tasks("a0", "a1")), false);
  ledger.end(tasks("a0", "a1", "b0"));
  assert.equal(ledger.lowWater, 13n);
});

test("a message that is read again after a rebalance does not hide those that stayed open", () => {
  const ledger = new Ledger();
  const readAll = () => {
    for (const [offset, task] of [
      [5n, "a"],
      [6n, "b"],
      [7n, "c"],
    ] as const)
      ledger.record(offset, tasks(task));
  };
  readAll();
  ledger.end(tasks("b"));
  readAll();
  ledger.end(tasks("a"));
  assert.equal(ledger.lowWater, 6n);
});

test("a call that is read again when half of it has ended stays open until the other half ends", () => {
  const ledger = new Ledger();
  ledger.record(5n, tasks("a0", "a1"));
  ledger.end(tasks("a1"));
  ledger.record(5n, tasks("a0", "a1"));
  ledger.end(tasks("a1"));
  assert.equal(ledger.lowWater, 5n);
  ledger.end(tasks("a0"));
  assert.equal(ledger.lowWater, 6n);
});

test("a message that is read again is open once, and open again after it had ended", () => {
  const ledger = new Ledger();
  assert.equal(ledger.record(1n, tasks("a0")), true);
  assert.equal(ledger.record(1n, tasks("a0")), false);
  ledger.end(tasks("a0"));
  assert.equal(ledger.record(1n, tasks("a0")), true);
  assert.equal(ledger.lowWater, 1n);
  ledger.end(tasks("a0"));
  assert.equal(ledger.lowWater, 2n);
});
