import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { TraceBuilder } from "./trace.ts";
import { trafficSummary } from "./traffic-summary.ts";

test("the busiest second is found", () => {
  const builder = new TraceBuilder();
  const lane = LaneId.parse("Dlib/ssd");
  for (const atMs of [500, 600, 1_700, 1_800, 1_900, 4_400]) {
    builder.add({
      atMs,
      tenant: atMs % 2,
      lane,
      timeBudgetMs: 1_000,
      images: [{ bytes: 1_000, pixels: 1_000 }],
    });
  }
  const { busiestPerSecond, calls } = trafficSummary(builder.build());
  assert.deepEqual([busiestPerSecond, calls], [3, 6]);
});
