import assert from "node:assert/strict";
import { test } from "node:test";
import { readWeights } from "./weights.ts";

const uint8 = (scale: number, min: number) => ({ dtype: "uint8", scale, min });
function manifest(...weights: object[]) {
  return [{ paths: ["weights.bin"], weights }];
}

test("a quantised element is byte * scale + min, rounded to float32 once", () => {
  const spec = { name: "w", shape: [3], dtype: "float32", quantization: uint8(0.1, -1) };
  const { data } = readWeights(manifest(spec), Uint8Array.of(0, 7, 255)).get("w");
  assert.deepEqual([...data], [-1, Math.fround(7 * 0.1 - 1), 24.5]);
});

test("quantised integers are rounded", () => {
  const spec = { name: "w", shape: [2], dtype: "int32", quantization: uint8(1 / 255, 0) };
  assert.deepEqual([...readWeights(manifest(spec), Uint8Array.of(3, 255)).get("w").data], [0, 1]);
});

test("a tensor without quantization is raw float32, wherever it begins", () => {
  const quantised = { name: "a", shape: [], dtype: "float32", quantization: uint8(1, 0) };
  const raw = { name: "b", shape: [1, 2], dtype: "float32" };
  const bytes = Buffer.concat([Buffer.of(9), Buffer.from(Float32Array.of(0.5, -2).buffer)]);

  const weights = readWeights(manifest(quantised, raw), bytes);
  assert.deepEqual(weights.get("b"), { shape: [1, 2], data: Float32Array.of(0.5, -2) });
  assert.deepEqual(weights.unused(), ["a"]);
});

test("a number of 16 bits is kept exactly, and the manifest may be part of a graph", () => {
  const spec = { name: "w", shape: [3], dtype: "float32", quantization: { dtype: "float16" } };
  // 1, -2 and the least number above 0.
  const bytes = Buffer.from(Uint16Array.of(0x3c00, 0xc000, 0x0001).buffer);
  const { data } = readWeights({ weightsManifest: manifest(spec) }, bytes).get("w");
  assert.deepEqual([...data], [1, -2, 2 ** -24]);
});

test("a manifest and weights of different models are an error", () => {
  const spec = { name: "w", shape: [4], dtype: "float32", quantization: uint8(1, 0) };
  assert.throws(() => readWeights(manifest(spec), new Uint8Array(3)), /the weights end inside w/);
  assert.throws(
    () => readWeights(manifest(spec), new Uint8Array(5)),
    /describes 4 bytes, the weights have 5/,
  );
  assert.throws(() => readWeights([{ paths: [], weights: [{ name: "w" }] }], new Uint8Array(0)), /shape/);
});

test("an absent tensor is an error with its name", () => {
  assert.throws(
    () => readWeights(manifest(), new Uint8Array(0)).get("conv0/filters"),
    /no tensor named conv0\/filters/,
  );
});
