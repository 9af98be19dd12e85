import assert from "node:assert/strict";
import { test } from "node:test";
import { padding } from "./padding.ts";

test("same padding puts the odd cell after", () => {
  assert.deepEqual(padding("same", { px: 512, kernel: 3, stride: 2 }), { before: 0, after: 1, px: 256 });
  assert.deepEqual(padding("same", { px: 13, kernel: 2, stride: 1 }), { before: 0, after: 1, px: 13 });
  assert.deepEqual(padding("same", { px: 207, kernel: 2, stride: 2 }), { before: 0, after: 1, px: 104 });
});

test("same padding is even where it can be", () => {
  assert.deepEqual(padding("same", { px: 32, kernel: 3, stride: 1 }), { before: 1, after: 1, px: 32 });
  assert.deepEqual(padding("same", { px: 7, kernel: 3, stride: 2 }), { before: 1, after: 1, px: 4 });
});

test("same padding is zero where the kernel is no wider than the stride", () => {
  assert.deepEqual(padding("same", { px: 32, kernel: 1, stride: 1 }), { before: 0, after: 0, px: 32 });
  assert.deepEqual(padding("same", { px: 9, kernel: 1, stride: 2 }), { before: 0, after: 0, px: 5 });
});

test("valid padding adds nothing and drops cells that do not fill a kernel", () => {
  assert.deepEqual(padding("valid", { px: 150, kernel: 7, stride: 2 }), { before: 0, after: 0, px: 72 });
  assert.deepEqual(padding("valid", { px: 72, kernel: 3, stride: 2 }), { before: 0, after: 0, px: 35 });
});
