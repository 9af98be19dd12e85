import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksFor, runMsOf } from "./chunks.ts";

// A device on which batching gains nothing.
const cpu = [
  { size: 1, runMs: 60 },
  { size: 2, runMs: 120 },
  { size: 4, runMs: 240 },
];
// A device on which a run costs much and a row little.
const gpu = [
  { size: 1, runMs: 10 },
  { size: 2, runMs: 10.5 },
  { size: 4, runMs: 11 },
  { size: 8, runMs: 12 },
];

test("a CPU pads nothing, and a GPU pads rather than run twice", () => {
  for (let count = 0; count <= 9; count++) {
    assert.equal(
      chunksFor(count, cpu).reduce((sum, size) => sum + size, 0),
      count,
    );
  }
  assert.deepEqual(chunksFor(3, gpu), [4]);
  assert.deepEqual(chunksFor(5, gpu), [8]);
  assert.deepEqual(chunksFor(9, gpu), [8, 1]);
});

test("many rows fill the largest size", () => {
  assert.deepEqual(chunksFor(19, gpu), [8, 8, 4]);
  assert.equal(chunksFor(100, gpu).filter((size) => size === 8).length, 12);
});

test("no rows need no run, and one size is enough", () => {
  assert.deepEqual(chunksFor(0, gpu), []);
  assert.deepEqual(chunksFor(3, [{ size: 2, runMs: 5 }]), [2, 2]);
});

test("all rows fit, only the last run is padded, and the cost is that of the chunks", () => {
  for (const sizes of [cpu, gpu]) {
    for (let count = 1; count <= 70; count++) {
      const chunks = chunksFor(count, sizes);
      const slots = chunks.reduce((sum, size) => sum + size, 0);
      assert.ok(slots >= count && slots - chunks.at(-1)! < count, `${count}: ${chunks.join()}`);
      const cost = chunks.reduce((sum, size) => sum + sizes.find((warm) => warm.size === size)!.runMs, 0);
      assert.equal(runMsOf(count, sizes), cost);
    }
  }
});
