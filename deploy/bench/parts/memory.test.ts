import assert from "node:assert/strict";
import test from "node:test";
import { type MemorySample, memoryGrowth } from "./memory.ts";

const range = { from: 2_000, to: 10_000 };
const samples = (mibAt: (served: number) => number): MemorySample[] =>
  Array.from({ length: 101 }, (_, i) => ({ served: 100 * i, mib: mibAt(100 * i) }));

test("memory that goes up and down is flat", () => {
  const { growth, flat } = memoryGrowth(
    samples((served) => 300 + (served % 700) / 10),
    range,
  );
  assert.ok(flat);
  assert.ok(Math.abs(growth) < 0.02);
});

test("growth during the warm-up is not counted", () => {
  const { mibPerThousand, flat } = memoryGrowth(
    samples((served) => Math.min(300, 200 + served / 20)),
    range,
  );
  assert.ok(flat);
  assert.equal(mibPerThousand, 0);
});

test("a leak of a few kilobytes a picture is detected", () => {
  const { mibPerThousand, growth, flat } = memoryGrowth(
    samples((served) => 300 + served / 200),
    range,
  );
  assert.ok(!flat);
  assert.ok(Math.abs(mibPerThousand - 5) < 1e-9);
  assert.ok(growth > 0.05);
});
