import assert from "node:assert/strict";
import { test } from "node:test";
import { Clipping, Reach } from "./ranges.ts";

test("a layer's range holds zero and all that was seen, and reaches further by the headroom", () => {
  const reach = new Reach();
  reach.see("relu", Float32Array.of(1, 2));
  reach.see("relu", Float32Array.of(0.5, 3));
  reach.see("sum", Float32Array.of(-1.23456, 1));
  assert.deepEqual(reach.ranges(1.1), { relu: [0, 3.3], sum: [-1.358, 1.1] });
});

test("what lies beyond a range is counted, and the layer that has most of it named", () => {
  const clipping = new Clipping({ relu: [0, 1], sum: [-1, 1] });
  clipping.see("relu", Float32Array.of(0, 0.5, 1, 1.5));
  clipping.see("sum", Float32Array.of(-2, 2, 0, 1));
  assert.deepEqual(clipping.shares(), { layer: "sum", worst: 0.5, all: 3 / 8 });
});
