import assert from "node:assert/strict";
import { test } from "node:test";
import { runSizes } from "./run-sizes.ts";

const detector = { batch_buckets: [1, 2, 4] };

test("on a CPU a network runs at the sizes of the catalogue that fit", () => {
  assert.deepEqual(runSizes(detector, { px: 224, rowsMax: 64, executionProvider: "cpu" }), [1, 2, 4]);
  assert.deepEqual(runSizes(detector, { px: 224, rowsMax: 2, executionProvider: "cpu" }), [1, 2]);
});

test("on a CPU large images run one by one", () => {
  for (const px of [416, 512, 1024]) {
    assert.deepEqual(runSizes(detector, { px, rowsMax: 64, executionProvider: "cpu" }), [1], `${px} px`);
  }
});

test("on a GPU the sizes double up to the largest run, whatever the catalogue says", () => {
  for (const executionProvider of ["cuda", "webgpu"] as const) {
    const sizesUpTo = (rowsMax: number) => runSizes(detector, { px: 512, rowsMax, executionProvider });
    assert.deepEqual(sizesUpTo(64), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(sizesUpTo(24), [1, 2, 4, 8, 16, 24]);
    assert.deepEqual(sizesUpTo(1), [1]);
  }
});
