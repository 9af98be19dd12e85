import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { newTrace } from "../testing/fixtures.ts";
import { TraceBuilder } from "./trace.ts";
import { trafficSummary } from "./traffic-summary.ts";

test("whole slots hold their calls, and the busiest second is found", () => {
  const builder = new TraceBuilder();
  const lane = LaneId.parse("Dlib/ssd");
  for (const atMs of [500, 600, 1_700, 1_800, 1_900, 4_400]) {
    builder.add({
      atMs,
      tenant: atMs % 2,
      lane,
      timeBudgetMs: 1_000,
      pictures: [{ bytes: 1_000, pixels: 1_000 }],
    });
  }
  const { slots, slotSeconds, busiestPerSecond, calls } = trafficSummary(builder.build());
  assert.deepEqual([slots, slotSeconds, busiestPerSecond, calls], [[2, 3, 0], 1, 3, 6]);
});

test("a long trace has few slots, of whole seconds", () => {
  const { slots, slotSeconds, calls } = trafficSummary(newTrace({ perSecond: 1, seconds: 1_000 }));
  assert.equal(slotSeconds, 5);
  assert.ok(slots.length <= 200);
  const inSlots = slots.reduce((sum, each) => sum + each * slotSeconds, 0);
  assert.ok(Math.abs(inSlots - calls) < 20, `${inSlots} of ${calls} calls are in whole slots`);
});
