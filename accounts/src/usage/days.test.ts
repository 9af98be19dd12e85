import assert from "node:assert/strict";
import test from "node:test";
import { dayOf, lastDays } from "./days.ts";

test("days begin at midnight in UTC, whatever the time zone of the process", () => {
  assert.equal(dayOf(Date.UTC(2026, 10, 22)), "2026-11-22");
  assert.equal(dayOf(Date.UTC(2026, 10, 22) - 0.5), "2026-11-21");
});

test("the last days end with today, and no day is missing at the ends of months", () => {
  assert.deepEqual(lastDays(Date.UTC(2028, 2, 1, 23), 3), ["2028-02-28", "2028-02-29", "2028-03-01"]);
});
