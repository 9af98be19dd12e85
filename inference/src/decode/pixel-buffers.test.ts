import assert from "node:assert/strict";
import { test } from "node:test";
import { type PixelBuffer, PixelBufferPool } from "./pixel-buffers.ts";

const imageBytes = 10 * 10 * 3;

test("a batch of the largest images fits, and one more image does not", async () => {
  const pool = new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 2 });
  using buffer = await pool.acquire();
  assert.ok(store(buffer, image(1)));
  assert.ok(store(buffer, image(2)));
  assert.equal(store(buffer, image(3)), undefined);
});

test("a batch fits whatever the order of its sizes", async () => {
  const pool = new PixelBufferPool({ batchMax: 4, longSideMaxPx: 10, buffersMax: 2 });
  using buffer = await pool.acquire();
  for (const bytes of [200, 200, 200, imageBytes]) assert.ok(store(buffer, image(1, bytes)));
});

test("small images share a slab, and keep their own pixels", async () => {
  const pool = new PixelBufferPool({ batchMax: 4, longSideMaxPx: 10, buffersMax: 2 });
  using buffer = await pool.acquire();
  const first = store(buffer, image(7, 11))!;
  const second = store(buffer, image(9, 13))!;
  assert.equal(first.buffer, second.buffer);
  assert.ok(first.buffer instanceof SharedArrayBuffer);
  assert.deepEqual(first, image(7, 11));
  assert.deepEqual(second, image(9, 13));
});

test("an image larger than the largest is not allocated", async () => {
  const pool = new PixelBufferPool({ batchMax: 4, longSideMaxPx: 10, buffersMax: 2 });
  using buffer = await pool.acquire();
  assert.equal(store(buffer, image(1, imageBytes + 8)), undefined);
});

test("after a release nothing is left of the images", async () => {
  const pool = new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 1 });
  const held: Uint8Array[] = [];
  {
    using buffer = await pool.acquire();
    held.push(store(buffer, image(255, 299))!, store(buffer, image(255))!);
  }
  for (const pixels of held) assert.deepEqual(pixels, image(0, pixels.length));

  using next = await pool.acquire();
  assert.equal(store(next, image(1))!.buffer, held[0]!.buffer, "the memory is used again");
});

test("only what was written is zeroed, and cleared memory is there for other images of the batch", async () => {
  const pool = new PixelBufferPool({ batchMax: 1, longSideMaxPx: 10, buffersMax: 1 });
  using buffer = await pool.acquire();
  const pixels = store(buffer, image(7))!;
  buffer.trim(pixels.subarray(0, 16));
  buffer.clear();
  assert.deepEqual([pixels[0], pixels[15], pixels[16]], [0, 0, 7]);
  assert.equal(store(buffer, image(1))!.byteOffset, pixels.byteOffset);
  assert.throws(() => buffer.trim(image(1)), /not in this buffer/);
});

test("a third batch waits until one of two ends; a second release changes nothing", async () => {
  const pool = new PixelBufferPool({ batchMax: 1, longSideMaxPx: 10, buffersMax: 2 });
  const [first, second] = [await pool.acquire(), await pool.acquire()];
  const order: string[] = [];
  const third = pool.acquire().then(() => order.push("third"));
  const fourth = pool.acquire().then(() => order.push("fourth"));
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await third;
  assert.deepEqual(order, ["third"]);
  second[Symbol.dispose]();
  await fourth;
  assert.deepEqual(order, ["third", "fourth"]);
  assert.throws(() => first.allocate(1), /its batch has ended/);
});

function store(buffer: PixelBuffer, pixels: Uint8Array): Uint8Array | undefined {
  const held = buffer.allocate(pixels.length);
  held?.set(pixels);
  return held;
}

function image(value: number, bytes: number = imageBytes): Uint8Array {
  return new Uint8Array(bytes).fill(value);
}
