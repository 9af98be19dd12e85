import assert from "node:assert/strict";
import { test } from "node:test";
import { newPool, report } from "../../../testing/fixtures.ts";
import { decide } from "../decide.ts";

test("loads are computed anew when a worker falls silent, and kept afterwards although it is remembered", () => {
  const pool = newPool();
  decide(pool, { kind: "partition_assigned" }, 0);
  decide(pool, report("w1", { partition: 1 }), 0);
  const loadsAt = (now: number) => {
    decide(pool, { kind: "timer" }, now);
    const [lane] = pool.lanes.values();
    return pool.loads.of(lane!, now);
  };
  for (let now = 0; now <= 900; now += 300) decide(pool, report("w0", { sentAt: now }), now);
  const both = loadsAt(990);
  assert.equal(both.length, 2);
  const one = loadsAt(1_010);
  assert.deepEqual(
    one.map(({ worker }) => worker.id),
    ["inference-w0"],
  );
  for (let now = 1_110; now <= 1_810; now += 100) assert.equal(loadsAt(now), one, `${now} ms`);
});
