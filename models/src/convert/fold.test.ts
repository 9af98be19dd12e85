import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseChannels, foldBatchNorm, scaleChannels, scaleInputs } from "./fold.ts";

test("each output channel is multiplied by its own factor", () => {
  const full = { shape: [1, 1, 2, 2], data: Float32Array.of(1, 2, 3, 4) };
  assert.deepEqual([...scaleChannels(full, [10, 100]).data], [10, 200, 30, 400]);

  const depthwise = { shape: [2, 1, 2, 1], data: Float32Array.of(1, 2, 3, 4) };
  assert.deepEqual([...scaleChannels(depthwise, [10, 100]).data], [10, 200, 30, 400]);
});

test("what each input channel gives is multiplied by its own factor", () => {
  const full = { shape: [1, 1, 2, 2], data: Float32Array.of(1, 2, 3, 4) };
  assert.deepEqual([...scaleInputs(full, [10, 100]).data], [10, 20, 300, 400]);

  const depthwise = { shape: [2, 1, 2, 1], data: Float32Array.of(1, 2, 3, 4) };
  assert.deepEqual([...scaleInputs(depthwise, [10, 100]).data], [10, 200, 30, 400]);
  assert.throws(() => scaleInputs(full, [1]), /1 factors for a filter 1x1x2x2/);
});

test("channels are chosen in the given order", () => {
  const tensor = { shape: [1, 1, 2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) };
  assert.deepEqual(chooseChannels(tensor, [2, 0]), {
    shape: [1, 1, 2, 2],
    data: Float32Array.of(3, 1, 6, 4),
  });
});

test("a batch norm becomes a factor and a bias", () => {
  const one = (value: number): Float32Array => Float32Array.of(value);
  const norm = { gamma: one(3), beta: one(1), mean: one(8), variance: one(3), epsilon: 1 };
  const { factors, bias } = foldBatchNorm(norm);
  // (10 - 8) * 3 / sqrt(3 + 1) + 1
  assert.equal(10 * factors[0]! + bias[0]!, 4);
});

test("a dead channel stays finite", () => {
  const one = (value: number): Float32Array => Float32Array.of(value);
  const norm = { gamma: one(0.5), beta: one(0), mean: one(0), variance: one(3.9e-36), epsilon: 0.001 };
  assert(foldBatchNorm(norm).factors[0]! < 16);
});
