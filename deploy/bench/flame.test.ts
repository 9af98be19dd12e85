import assert from "node:assert/strict";
import { test } from "node:test";
import { addProfile, type CpuProfile, Frame, flameGraph } from "./flame.ts";

const frame = (id: number, functionName: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url: "" },
  children,
});
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [frame(1, "(root)", [2, 4]), frame(2, "outer", [3]), frame(3, "inner"), frame(4, "(idle)")],
  samples: [3, 2, 4, 3],
  timeDeltas: [1_000, 2_000, 50_000, 4_000],
};

test("a function has the time of what it called, and idling is nobody's", () => {
  const root = new Frame("thread");
  addProfile(root, profile, [0, Infinity]);
  const outer = root.below.get("outer")!;
  assert.deepEqual([root.ms, outer.ms, outer.below.get("inner")!.ms], [7, 7, 5]);
  assert.ok(!root.below.has("(idle)"));
});

test("what lies outside the measured time does not count, and profiles of several threads add up", () => {
  const root = new Frame("thread");
  addProfile(root, profile, [2_500, 10_000]);
  assert.equal(root.ms, 2);
  addProfile(root, profile, [2_500, 10_000]);
  assert.equal(root.below.get("outer")!.ms, 4);
});

test("a drawing names what is wide enough to be read", () => {
  const root = new Frame("the <engine>");
  addProfile(root, profile, [0, Infinity]);
  const svg = flameGraph([root], "time");
  assert.match(svg, /the &lt;engine&gt; 100\.0 %/);
  assert.match(svg, /inner 71\.4 %/);
});
