import assert from "node:assert/strict";
import { test } from "node:test";
import { CallMemory } from "./call-memory.ts";
import { SlabPool } from "./slab-pool.ts";

const mib = 2 ** 20;

test("memory is zeroed and used again once its last holder has let go of it, and not before", () => {
  const pool = new SlabPool();
  const first = pool.take(mib);
  const memory = first.bytes;
  memory.fill(7, 0, 100);
  first.wroteUpTo(100);
  first.hold();
  first.release();
  const second = pool.take(mib);
  assert.notEqual(second.bytes, memory);
  assert.equal(memory[99], 7);

  first.release();
  assert.ok(memory.subarray(0, 100).every((byte) => byte === 0));
  const [third, fourth] = [pool.take(mib - 1), pool.take(mib)];
  assert.equal(third.bytes, memory);
  assert.notEqual(fourth.bytes, memory);
});

test("a slab whose memory may be another's by now can neither be held nor released", () => {
  const slab = new SlabPool().take(1);
  slab.release();
  assert.throws(() => slab.hold());
  assert.throws(() => slab.release());
});

test("the pool keeps no more than its bound, and what was used last", () => {
  const pool = new SlabPool(2 * mib);
  const slabs = [mib, mib, mib, 64 * 1024].map((bytes) => pool.take(bytes));
  const [, , last, small] = slabs.map(({ bytes }) => bytes);
  for (const slab of slabs) slab.release();
  assert.equal(pool.idleBytes, mib + 64 * 1024);
  assert.equal(pool.take(1).bytes, small);
  assert.equal(pool.take(mib).bytes, last);
});

test("images stay in memory while a handler holds them, also after the client has left", () => {
  const pool = new SlabPool();
  const memory = new CallMemory();
  memory.keep(pool.take(mib));
  {
    using held = memory.hold();
    memory.end();
    assert.equal(pool.idleBytes, 0);
    held[Symbol.dispose]();
    assert.equal(pool.idleBytes, mib);
  }
  assert.equal(pool.idleBytes, mib);
  assert.throws(() => memory.hold());
});

test("images of a client that left while its body was parsed are gone at once", () => {
  const pool = new SlabPool();
  const memory = new CallMemory();
  memory.end();
  memory.keep(pool.take(mib));
  assert.equal(pool.idleBytes, mib);
  assert.throws(() => memory.hold());
});
