import assert from "node:assert/strict";
import { test } from "node:test";
import { zeroAndFree } from "./zero-and-free.ts";

test("memory is zeroed and given back at once", (t) => {
  const bytes = Buffer.alloc(100_000, 7);
  const { transfer } = ArrayBuffer.prototype;
  let zeroed = false;
  t.mock.method(ArrayBuffer.prototype, "transfer", function (this: ArrayBuffer, length: number) {
    zeroed = new Uint8Array(this).every((byte) => byte === 0);
    return transfer.call(this, length);
  });
  zeroAndFree(bytes);
  assert.equal(zeroed, true);
  assert.equal(bytes.length, 0);
});

test("memory that others share is zeroed and stays", () => {
  const shared = Buffer.alloc(100, 7);
  const [ours, others] = [shared.subarray(0, 50), shared.subarray(50)];
  zeroAndFree(ours);
  assert.deepEqual([ours[0], ours.length, others[0]], [0, 50, 7]);
});
