import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TurnBudget } from "./turn-budget.ts";

test("bodies that arrive together are parsed in several turns of the event loop, in their order", async () => {
  const budget = new TurnBudget(4);
  const parsed: number[] = [];
  for (let body = 0; body < 10; body++) void budget.enter(1).then(() => parsed.push(body));
  const perTurn: number[] = [];
  while (parsed.length < 10) {
    await nextTurn();
    perTurn.push(parsed.length);
  }
  assert.deepEqual(parsed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(perTurn.length >= 2 && perTurn[0]! <= 8, `after each turn: ${perTurn.join(", ")}`);
});

test("a body above the budget has a turn of its own, and those after it go on", async () => {
  const budget = new TurnBudget(4);
  const parsed: string[] = [];
  const enter = async (name: string, bytes: number) => {
    await budget.enter(bytes);
    parsed.push(name);
  };
  const all = [enter("large", 100), enter("small", 1), enter("other large", 50), enter("last", 1)];
  await Promise.resolve();
  assert.deepEqual(parsed, ["large"]);
  await Promise.all(all);
  assert.deepEqual(parsed, ["large", "small", "other large", "last"]);
});

test("a body that arrives alone does not wait for a turn", async () => {
  const budget = new TurnBudget(4);
  let isParsed = false;
  void budget.enter(3).then(() => (isParsed = true));
  await Promise.resolve();
  await Promise.resolve();
  assert.ok(isParsed);
});
