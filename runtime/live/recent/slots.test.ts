import assert from "node:assert/strict";
import test from "node:test";
import { RecentSlots, slotMs, slotsMax } from "./slots.ts";

const windowMs = slotMs * slotsMax;

test("what happened is counted in its slot, and is gone when its slot comes round again", () => {
  const recent = new RecentSlots<"sent" | "never">();
  recent.add("sent", 2, 0);
  recent.add("sent", 1, slotMs - 1);
  recent.add("sent", 5, slotMs);
  assert.deepEqual(recent.series("sent", 2 * slotMs).slice(-3), [0, 3, 5]);
  assert.equal(recent.count("sent", windowMs - 1).all, 8);
  assert.equal(recent.count("sent", windowMs).all, 5);
  assert.equal(recent.count("sent", 10 * windowMs).all, 0);
  assert.equal(recent.count("never", slotMs).all, 0);
});

test("rates come from the five slots that are complete", () => {
  const recent = new RecentSlots<string>();
  for (let second = 0; second < 20; second++) recent.add("shed", 7, 1_000_000_000 + 1_000 * second);
  assert.deepEqual(recent.count("shed", 1_000_019_000), { last10s: 70, all: 140 });
});

test("of a gauge the largest value of a slot is kept", () => {
  const recent = new RecentSlots<string>();
  for (const value of [3, 9, 4]) recent.raise("waiting", value, 0);
  assert.equal(recent.series("waiting", slotMs).at(-1), 9);
});

test("what is recorded of a key can be added to another one's, slot by slot", () => {
  const recent = new RecentSlots<string>();
  recent.add("ants", 2, 0);
  recent.add("others", 3, 0);
  recent.add("ants", 5, slotMs);
  recent.merge("ants", "others");
  recent.merge("never", "others");
  assert.deepEqual(recent.series("others", 2 * slotMs).slice(-2), [5, 5]);
  assert.deepEqual(recent.keys(), ["others"]);
});

test("what is recorded late counts for the slot that it happened in, and is never lost", () => {
  const recent = new RecentSlots<string>();
  const now = 10 * windowMs;
  recent.add("busy", 1, now);
  recent.add("busy", 2, now - slotMs);
  recent.add("busy", 4, now - windowMs);
  assert.deepEqual(recent.series("busy", now + slotMs).slice(-2), [2, 5]);
});
