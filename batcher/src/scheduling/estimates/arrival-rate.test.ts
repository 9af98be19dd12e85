import assert from "node:assert/strict";
import test from "node:test";
import { ArrivalRate } from "./arrival-rate.ts";

test("a steady rate is measured, a burst counts at once and is forgotten after a while", () => {
  const rate = new ArrivalRate();
  for (let now = 0; now < 10_000; now += 10) rate.add(1, 300, now);
  assert.ok(Math.abs(rate.perMs(10_000) - 0.1) < 0.01, `${rate.perMs(10_000)}`);
  rate.add(100, 300, 10_000);
  assert.ok(rate.perMs(10_000) > 0.5);
  assert.ok(rate.perMs(11_000) < 0.1);
  assert.ok(rate.perMs(30_000) < 0.001);
});
