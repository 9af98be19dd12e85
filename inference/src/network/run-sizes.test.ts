import assert from "node:assert/strict";
import { test } from "node:test";
import { runSizes } from "./run-sizes.ts";

const detector = { batch_buckets: [1, 2, 4] };

test("on a CPU a network runs at the sizes of the catalogue that fit", () => {
  assert.deepEqual(runSizes(detector, { rowsMax: 64, executionProvider: "cpu" }), [1, 2, 4]);
  assert.deepEqual(runSizes(detector, { rowsMax: 2, executionProvider: "cpu" }), [1, 2]);
});

test("on a GPU the sizes double up to the largest run, whatever the catalogue says", () => {
  for (const executionProvider of ["cuda", "webgpu"] as const) {
    assert.deepEqual(runSizes(detector, { rowsMax: 64, executionProvider }), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(runSizes(detector, { rowsMax: 24, executionProvider }), [1, 2, 4, 8, 16, 24]);
    assert.deepEqual(runSizes(detector, { rowsMax: 1, executionProvider }), [1]);
  }
});
