/**
 * Zeroes bytes of an image and frees their memory at once. The garbage collector would do that in time, but
 * V8 collects its whole heap whenever that much memory was allocated outside it. Nothing may use them then.
 */
export function zeroAndFree(bytes: Buffer): void {
  bytes.fill(0);
  // A smaller buffer lies in memory that it shares with others, such as Node's pool.
  if (bytes.length === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0);
}
