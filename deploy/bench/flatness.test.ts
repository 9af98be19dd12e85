import assert from "node:assert/strict";
import test from "node:test";
import { flatnessOf, type Resident } from "./flatness.ts";

const stretch = { from: 2_000, to: 10_000 };
const samples = (mibAt: (served: number) => number): Resident[] =>
  Array.from({ length: 101 }, (_, i) => ({ served: 100 * i, mib: mibAt(100 * i) }));

test("memory that goes up and down is flat", () => {
  const { growth, flat } = flatnessOf(
    samples((served) => 300 + (served % 700) / 10),
    stretch,
  );
  assert.ok(flat);
  assert.ok(Math.abs(growth) < 0.02);
});

test("what grows while a process warms up is not counted", () => {
  const { mibPerThousand, flat } = flatnessOf(
    samples((served) => Math.min(300, 200 + served / 20)),
    stretch,
  );
  assert.ok(flat);
  assert.equal(mibPerThousand, 0);
});

test("a few kilobytes kept of each picture are seen", () => {
  const { mibPerThousand, growth, flat } = flatnessOf(
    samples((served) => 300 + served / 200),
    stretch,
  );
  assert.ok(!flat);
  assert.ok(Math.abs(mibPerThousand - 5) < 1e-9);
  assert.ok(growth > 0.05);
});
