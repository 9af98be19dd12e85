import assert from "node:assert/strict";
import { test } from "node:test";
import { readVector, vectorLengthMax } from "./vector.ts";

test("a vector of bytes, at any offset, keeps its numbers when their memory is used again", () => {
  const numbers = Float32Array.of(1.5, -2, 0.25);
  for (const offset of [0, 1, 4]) {
    const memory = Buffer.alloc(32);
    Buffer.from(numbers.buffer).copy(memory, offset);
    const vector = readVector(memory.subarray(offset, offset + 12));
    memory.fill(0xff);
    assert.deepEqual(vector, numbers);
    assert.deepEqual(readVector(Buffer.from(numbers.buffer).toString("base64")), numbers);
  }
  const longest = new Uint8Array(4 * vectorLengthMax + 4);
  assert.equal(readVector(longest), undefined);
  assert.equal(readVector(longest.subarray(4))?.length, vectorLengthMax);
});
