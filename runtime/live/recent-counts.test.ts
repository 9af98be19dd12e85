import assert from "node:assert/strict";
import test from "node:test";
import { lastMinutes, otherKeys, past5min, past10s, RecentCounts } from "./recent-counts.ts";

const start = Date.UTC(2026, 10, 29, 12);

test("rates come from 10 s that are complete, and counts are gone after five minutes", () => {
  const recent = new RecentCounts();
  for (let second = 0; second < 19; second++) recent.add("shed", 7, start + 1_000 * second);
  const read = (now: number) => [recent.sum("shed", past10s(now)), recent.sum("shed", past5min(now))];
  assert.deepEqual(read(start + 19_000), [70, 133]);
  assert.deepEqual(read(start + 304_000), [0, 133]);
  assert.deepEqual(read(start + 306_000), [0, 98]);
  recent.add("sent", 1, start + 400_000);
  assert.deepEqual([...recent.sums({ from: 0, until: Infinity })], [["sent", 1]]);
  assert.equal(recent.sum("never", past5min(start)), 0);
});

test("each of the last minutes has its sum and its largest value, the latest first", () => {
  const recent = new RecentCounts();
  for (const [at, waiting] of Object.entries({ 0: 3, 59_000: 9, 61_000: 4 })) {
    recent.add("sent", 1, start + Number(at));
    recent.raise("waiting", waiting, start + Number(at));
  }
  const rows = lastMinutes(start + 62_000).map(({ minute, ...span }) => [
    minute,
    recent.sum("sent", span),
    recent.most("waiting", span),
  ]);
  assert.deepEqual(rows.slice(0, 3), [
    ["12:01", 1, 4],
    ["12:00", 2, 9],
    ["11:59", 0, 0],
  ]);
});

test("a slot counts further keys together once it has as many as it may, and loses nothing", () => {
  const recent = new RecentCounts(2);
  for (const key of ["ants", "bees", "wasps", "ants", "flies"]) recent.add(key, 1, start);
  assert.deepEqual(
    [...recent.sums(past5min(start))],
    [
      ["ants", 2],
      ["bees", 1],
      [otherKeys, 2],
    ],
  );
});

test("what comes before the latest slot, after a correction of the clock, counts for that slot", () => {
  const recent = new RecentCounts();
  recent.add("sent", 1, start);
  recent.add("sent", 1, start - 60_000);
  assert.equal(recent.sum("sent", { from: start, until: start + 1 }), 2);
});
