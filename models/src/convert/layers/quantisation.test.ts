import assert from "node:assert/strict";
import { test } from "node:test";
import { biasOfOffsets, quantisationOf, quantiseFilter } from "./quantisation.ts";

test("a range uses all 256 steps, and zero is one of them", () => {
  assert.deepEqual(quantisationOf([0, 6]), { scale: 6 / 255, zero: 0 });
  const { scale, zero } = quantisationOf([-1, 3]);
  assert.deepEqual([scale, zero], [4 / 255, 64]);
  assert.ok(Math.abs((0 - zero) * scale - -1) < scale && Math.abs((255 - zero) * scale - 3) < scale);
});

test("a range without zero is extended to it, and an empty range has a scale of 1", () => {
  assert.deepEqual(quantisationOf([2, 5]), { scale: 5 / 255, zero: 0 });
  assert.deepEqual(quantisationOf([-5, -2]), { scale: 5 / 255, zero: 255 });
  assert.deepEqual(quantisationOf([0, 0]), { scale: 1, zero: 0 });
});

test("each output channel has a scale of its own, by its largest weight", () => {
  const filter = { shape: [2, 2, 1, 1], data: Float32Array.of(0.5, -1, 100, 50) };
  const { data, scales, biases } = quantiseFilter(filter, Float64Array.of(2, -3), 0.5);
  assert.deepEqual([...data], [32, -64, 64, 32]);
  assert.deepEqual([...scales], [1 / 64, 100 / 64].map(Math.fround));
  assert.deepEqual(
    [...biases],
    [2, -3].map((bias, channel) => Math.round(bias / (0.5 * scales[channel]!))),
  );
});

test("two products of a filter fit into 16 bits, and a depthwise filter has all eight bits", () => {
  const greatest = (...shape: number[]) =>
    quantiseFilter({ shape, data: new Float32Array(18).fill(1) }, new Float64Array(2), 1).data[0]!;
  assert.deepEqual([greatest(1, 2, 3, 3), greatest(2, 1, 3, 3)], [Math.floor(2 ** 15 / (2 * 255)), 127]);
});

test("rounding errors cancel within the window of an input channel, and do not reach the next one", () => {
  const data = Float32Array.of(64, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4);
  const { data: rounded } = quantiseFilter({ shape: [1, 2, 2, 2], data }, Float64Array.of(0), 1);
  assert.deepEqual([...rounded], [64, 0, 1, 0, 0, 1, 0, 1]);
});

test("the bias of a dead channel fits into int32, with its value in float", () => {
  const filter = { shape: [1, 1, 1, 1], data: Float32Array.of(1e-20) };
  const { data, scales, biases } = quantiseFilter(filter, Float64Array.of(1.5), 6 / 255);
  assert.deepEqual([...data], [0]);
  assert.ok(Math.abs(biases[0]!) <= 2 ** 26);
  assert.ok(Math.abs(biases[0]! * scales[0]! * (6 / 255) - 1.5) < 1e-6);
});

test("the offset that the zero point leaves in each channel becomes a bias", () => {
  const filter = { shape: [1, 2, 1, 2], data: Float32Array.of(1, 2, 3, 4) };
  assert.deepEqual([...biasOfOffsets(filter, [10, 0.5])], [(1 + 2) * 10 + (3 + 4) * 0.5]);
});
