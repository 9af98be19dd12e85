import assert from "node:assert/strict";
import { test } from "node:test";
import { MeasuredRanges } from "./ranges.ts";

test("a layer's range covers zero and all numbers, and is extended by the headroom", () => {
  const ranges = new MeasuredRanges();
  ranges.add("relu", Float32Array.of(1, 2), 1);
  ranges.add("relu", Float32Array.of(0.5, 3), 1);
  ranges.add("sum", Float32Array.of(-1.23456, 1), 1);
  assert.deepEqual(ranges.within({ headroom: 1.1 }), { ranges: { relu: [0, 3.3], sum: [-1.358, 1.1] } });
});

test("a percentile clips what few inputs have, in each channel of its own", () => {
  const ranges = new MeasuredRanges();
  for (let i = 1; i <= 100; i++) ranges.add("sum", Float32Array.of(-i, i, 0, i === 1 ? 9 : 300 - i), 2);
  const { ranges: clipped } = ranges.within({ headroom: 1, percentile: 97 });
  assert.deepEqual(clipped, { sum: [-97, 295] });
});

test("channels of layers with a PReLU get scales, by which their ranges become alike", () => {
  const ranges = new MeasuredRanges();
  // A convolution has numbers before its PReLU; a depthwise layer needs those after it alone.
  ranges.add("a", Float32Array.of(-1, -4, -1), 3);
  ranges.add("a/prelu", Float32Array.of(1, 4, 1), 3);
  ranges.add("b/prelu", Float32Array.of(2, 8, 2), 3);
  assert.deepEqual(ranges.within({ headroom: 1, percentile: 100 }), {
    ranges: { a: [-1, 0], "a/prelu": [0, 1], "b/prelu": [0, 4] },
    channel_scales: { a: "mim", b: "mkm" },
  });
});
