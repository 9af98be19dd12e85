import { randomFillSync } from "node:crypto";

/**
 * Returns `count` random bytes from a pool that is refilled 4,096 bytes at a time. A call needs random bytes
 * about three times, and each of its spans once, and every system call for them would cost ten microseconds.
 */
export function randomBytes(count: number): Buffer {
  if (next + count > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const bytes = Buffer.from(pool.subarray(next, next + count));
  // Bytes that were handed out must not stay readable in memory.
  pool.fill(0, next, next + count);
  next += count;
  return bytes;
}

export const newSpanId = (): string => randomBytes(8).toString("hex");
export const newTraceId = (): string => randomBytes(16).toString("hex");

const pool = Buffer.alloc(4096);
let next = pool.length;
