import assert from "node:assert/strict";
import { test } from "node:test";
import { type BudgetLease, SharedBudget } from "./shared-budget.ts";

const totalBytes = 1_000;

test("a lone team gets three quarters of the budget", () => {
  const budget = new SharedBudget(totalBytes);
  assert.equal(bytesOf(fill(budget, "ants")), 750);
  assert.equal(budget.heldBytes, 750);
});

test("while one team holds all that it can get, every further team gets calls in", () => {
  const budget = new SharedBudget(totalBytes);
  fill(budget, "ants");
  const taken = ["bees", "cats", "dogs"].map((team) => bytesOf(fill(budget, team)));
  assert.deepEqual(taken, [187, 47, 12]);
  assert.ok(budget.acquire("eels", 3) !== null);
});

test("a team that was alone shrinks to the share of the others as its calls end", () => {
  const budget = new SharedBudget(totalBytes);
  const leases = new Map([["ants", fill(budget, "ants")]]);
  for (const team of ["bees", "cats"]) leases.set(team, fill(budget, team));
  // Each round ends one call of every team, and each team, the greedy one first, asks for as much as it gets.
  for (let round = 0; round < totalBytes; round++) {
    for (const held of leases.values()) held.shift()?.release();
    for (const [team, held] of leases) held.push(...fill(budget, team));
  }
  // Three of ten for each of three teams.
  for (const [team, held] of leases) assert.ok(Math.abs(bytesOf(held) - 300) <= 3, `${team}: ${held.length}`);
});

test("the only call of a team may take whatever is free, and nothing beyond it", () => {
  const budget = new SharedBudget(totalBytes);
  assert.equal(budget.acquire("ants", totalBytes + 1), null);
  const whole = budget.acquire("ants", totalBytes);
  assert.equal(budget.acquire("bees", 1), null);
  whole!.release();
  assert.ok(budget.acquire("bees", totalBytes) !== null);
});

test("a lease grows under the same rule, and gives back once all that it took", () => {
  const budget = new SharedBudget(totalBytes);
  const [first, second] = [budget.acquire("ants", 100)!, budget.acquire("ants", 0)!];
  assert.ok(!second.canGrow(651) && !second.grow(651));
  assert.ok(second.canGrow(650) && second.grow(650));
  assert.equal(budget.heldBytes, 750);
  second.release();
  second.release();
  assert.ok(!second.grow(1) && !second.canGrow(1));
  assert.equal(budget.heldBytes, 100);
  assert.ok(first.grow(900), "the only lease again");
  first.release();
  assert.equal(budget.heldBytes, 0);
});

test("whatever happens, no more than the budget is held, and all of it comes back", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const budget = new SharedBudget(totalBytes);
    const leases: BudgetLease[] = [];
    let state = seed;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 500; step++) {
      const lease = leases[random(leases.length + 1)];
      const kind = random(3);
      if (kind === 0 && lease !== undefined) lease.release();
      else if (kind === 1 && lease !== undefined) lease.grow(random(200));
      else leases.push(...[budget.acquire(`team ${random(5)}`, random(200))].filter((each) => each !== null));
      assert.ok(budget.heldBytes >= 0 && budget.heldBytes <= totalBytes, `SEED=${seed}`);
    }
    for (const lease of leases) lease.release();
    assert.equal(budget.heldBytes, 0, `SEED=${seed}`);
  }
});

/** Leases of one byte, until one is refused. */
function fill(budget: SharedBudget, team: string): BudgetLease[] {
  const leases: BudgetLease[] = [];
  for (let lease = budget.acquire(team, 1); lease !== null; lease = budget.acquire(team, 1))
    leases.push(lease);
  return leases;
}

const bytesOf = (leases: BudgetLease[]): number => leases.length;
