/**
 * Memory for the bytes of bodies and images that is used again and again. Bytes outside V8's heap that every
 * request newly allocated made the garbage collector a quarter of this process' CPU.
 *
 *     take ──► [ held by its body, its call, writes to Redis ] ──the last one lets go──► zeroed ──► take …
 *
 * What is in use is bounded by the budgets of bodies and images; what is kept for the next bodies by
 * `idleBytesMax`. A slab that nobody lets go of is lost to the pool, and never handed out twice.
 */
export class SlabPool {
  readonly #idleBytesMax: number;
  /** Zeroed, the one that was used last at the end. */
  readonly #idle: Buffer[] = [];
  #idleBytes = 0;

  constructor(idleBytesMax = slabsIdleBytesMax) {
    this.#idleBytesMax = idleBytesMax;
  }

  /** Bytes that are kept for the next bodies. */
  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** Returns memory for at least `bytes`, which its taker holds. */
  take(bytes: number): Slab {
    const capacity = Math.max(slabBytesMin, 2 ** Math.ceil(Math.log2(bytes)));
    const index = this.#idle.findLastIndex(({ length }) => length === capacity);
    if (index === -1) return this.#slab(Buffer.allocUnsafeSlow(capacity));
    const [memory] = this.#idle.splice(index, 1);
    this.#idleBytes -= capacity;
    return this.#slab(memory!);
  }

  #slab(memory: Buffer): Slab {
    return new Slab(memory, (writtenBytes) => {
      memory.fill(0, 0, writtenBytes);
      this.#idle.push(memory);
      this.#idleBytes += memory.length;
      while (this.#idleBytes > this.#idleBytesMax) this.#idleBytes -= this.#idle.shift()!.length;
    });
  }
}

/** A piece of memory that is zeroed and reused once its last holder has released it. */
export class Slab {
  /** The whole slab, which may be longer than requested. May be used while it is held. */
  readonly bytes: Buffer;
  readonly #onFree: (writtenBytes: number) => void;
  #writtenBytes = 0;
  #holders = 1;

  constructor(bytes: Buffer, onFree: (writtenBytes: number) => void) {
    this.bytes = bytes;
    this.#onFree = onFree;
  }

  /** Number of bytes from the start that may have been written. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Must be called after a write that ends at `end`, so that those bytes are zeroed later. */
  wroteUpTo(end: number): void {
    this.#writtenBytes = Math.max(this.#writtenBytes, end);
  }

  /** Keeps the bytes as they are until `release` is called once more. */
  hold(): void {
    if (this.#holders === 0) throw new Error("a slab was used after its end");
    this.#holders++;
  }

  /** Must be called once by the taker, and once for each `hold`. */
  release(): void {
    if (this.#holders === 0) throw new Error("a slab was released too often");
    if (--this.#holders === 0) this.#onFree(this.#writtenBytes);
  }
}

/** The bodies of about 30 calls of two photographs each. */
const slabsIdleBytesMax = 32 * 2 ** 20;

/** One read of a socket. */
const slabBytesMin = 64 * 1024;
