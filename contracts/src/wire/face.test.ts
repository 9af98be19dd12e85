import assert from "node:assert/strict";
import test from "node:test";
import { decodeEmbedding, encodeEmbedding } from "./face.ts";

test("an embedding is decoded bit by bit as it was encoded, at any offset of its buffer", () => {
  const numbers = new Float32Array([0, -0, 1.5, Math.fround(0.1), 3.4e38, 1.4e-45]);
  const within = new Float32Array(new ArrayBuffer(40), 4, 6);
  within.set(numbers);
  assert.deepEqual(decodeEmbedding(encodeEmbedding(within)), numbers);
});
