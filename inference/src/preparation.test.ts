import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { Picture } from "./decode/picture.ts";
import { PixelBufferPool } from "./decode/pixel-buffers.ts";
import { openPreparation } from "./preparation.ts";

test("where one decode fails, the buffer is released after the others have stopped writing into it", async () => {
  const buffers = new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 1 });
  const slow = Promise.withResolvers<Picture>();
  const decodes = [Promise.reject(new Error("the buffer is too small")), slow.promise];
  const prepare = openPreparation({
    buffers,
    images: {
      fetch: async (ids) => ({ images: ids.map(() => Buffer.alloc(1)), [Symbol.dispose]() {} }),
      async [Symbol.asyncDispose]() {},
    },
    decode: () => decodes.shift()!,
    clock: { now: () => 0 },
  });
  const prepared = prepare(batchOfTwo).catch((error: Error) => error.message);
  let next: string | undefined;
  const acquired = buffers.acquire().then(() => {
    next = "acquired";
  });
  await setImmediate();
  assert.equal(next, undefined);
  const pixels = new Uint8Array(3);
  slow.resolve({ kind: "picture", pixels, width: 1, height: 1, originalWidth: 1, originalHeight: 1 });
  assert.equal(await prepared, "the buffer is too small");
  await acquired;
});

const batchOfTwo = {
  id: "a",
  tasks: [
    { id: "1", deadlineAt: 10 },
    { id: "2", deadlineAt: 10 },
  ],
} as unknown as Batch;
