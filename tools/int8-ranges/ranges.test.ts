import assert from "node:assert/strict";
import { test } from "node:test";
import { ClippedShares, MeasuredRanges } from "./ranges.ts";

test("a layer's range covers zero and all numbers, and is extended by the headroom", () => {
  const ranges = new MeasuredRanges();
  ranges.add("relu", Float32Array.of(1, 2), 1);
  ranges.add("relu", Float32Array.of(0.5, 3), 2);
  ranges.add("sum", Float32Array.of(-1.23456, 1), 2);
  assert.deepEqual(ranges.within({ headroom: 1.1 }), { relu: [0, 3.3], sum: [-1.358, 1.1] });
});

test("a percentile clips what few inputs have, in each channel of its own", () => {
  const ranges = new MeasuredRanges();
  for (let i = 1; i <= 100; i++) ranges.add("sum", Float32Array.of(-i, i, 0, i === 1 ? 9 : 300 - i), 2);
  assert.deepEqual(ranges.within({ headroom: 1, percentile: 97 }), { sum: [-97, 296] });
});

test("numbers beyond a range are counted, and the layer with the largest share is named", () => {
  const clipping = new ClippedShares({ relu: [0, 1], sum: [-1, 1] });
  clipping.add("relu", Float32Array.of(0, 0.5, 1, 1.5));
  clipping.add("sum", Float32Array.of(-2, 2, 0, 1));
  assert.deepEqual(clipping.shares(), { layer: "sum", worst: 0.5, all: 3 / 8 });
});
