import { randomFillSync } from "node:crypto";

/**
 * Random bytes from a store that is filled a page at a time: a call needs some three times, and each time the
 * system were asked would cost it ten microseconds.
 */
export function randomBytes(count: number): Buffer {
  if (next + count > store.length) {
    randomFillSync(store);
    next = 0;
  }
  const bytes = Buffer.from(store.subarray(next, next + count));
  // What was given is not kept.
  store.fill(0, next, next + count);
  next += count;
  return bytes;
}

const store = Buffer.alloc(4096);
let next = store.length;
