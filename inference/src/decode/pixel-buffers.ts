import assert from "node:assert/strict";

/**
 * The pixel buffer pool: memory for the pixels of batches, shared with the engine's thread. Each batch has
 * one buffer: while the engine reads one, the next batches are decoded into others.
 *
 *     acquire ──► buffer.allocate(bytes) … decoder writes, engine reads … ──► dispose: zeroed and free
 *
 * A buffer consists of slabs, each as large as the largest image. So a batch of `batchMax` images always
 * fits: at worst each has a slab of its own. A slab is allocated when it is first needed and is kept.
 */
export class PixelBufferPool {
  /** The most memory that all buffers together can hold. */
  readonly bytesMax: number;
  readonly #slabBytes: number;
  readonly #slabsMax: number;
  readonly #free: Slab[][];
  readonly #waiting: ((slabs: Slab[]) => void)[] = [];

  constructor({ batchMax, longSideMaxPx, buffersMax }: PixelBufferLimits) {
    this.#slabBytes = wordAligned(longSideMaxPx * longSideMaxPx * 3);
    this.#slabsMax = batchMax;
    this.#free = Array.from({ length: buffersMax }, () => []);
    this.bytesMax = buffersMax * batchMax * this.#slabBytes;
  }

  /** Waits for a release when all buffers are in use; first come, first served. */
  async acquire(): Promise<PixelBuffer> {
    const slabs = this.#free.pop() ?? (await new Promise<Slab[]>((resolve) => this.#waiting.push(resolve)));
    const limits = { slabBytes: this.#slabBytes, slabsMax: this.#slabsMax };
    return new PixelBuffer(slabs, limits, () => this.#release(slabs));
  }

  #release(slabs: Slab[]): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slabs);
    else next(slabs);
  }
}

/** The pixels of one batch. Disposing of it zeroes them and releases the buffer. */
export class PixelBuffer implements Disposable {
  readonly #slabs: Slab[];
  readonly #limits: { slabBytes: number; slabsMax: number };
  readonly #release: () => void;
  /** Parts of the slabs that may have been written. */
  readonly #written: Uint8Array[] = [];
  #released = false;

  constructor(slabs: Slab[], limits: { slabBytes: number; slabsMax: number }, release: () => void) {
    this.#slabs = slabs;
    this.#limits = limits;
    this.#release = release;
  }

  /**
   * Memory for the pixels of one image, all zeros. Returns undefined if the buffer is full or the image
   * larger than the largest allowed: neither happens to a batch within the limits of the pool. Throws after a
   * release.
   */
  allocate(bytes: number): Uint8Array | undefined {
    assert(!this.#released, "the pixel buffer was released: its batch has ended");
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return undefined;
    const allocated = new Uint8Array(slab.memory, slab.usedBytes, bytes);
    slab.usedBytes += wordAligned(bytes);
    this.#written.push(allocated);
    return allocated;
  }

  /** Records that only `pixels` were written, which lie at the start of the image's memory. */
  trim(pixels: Uint8Array): void {
    const index = this.#written.findIndex(
      ({ buffer, byteOffset }) => buffer === pixels.buffer && byteOffset === pixels.byteOffset,
    );
    assert(index >= 0, "these pixels are not in this buffer");
    this.#written[index] = pixels;
  }

  /** Zeroes all pixels, and reuses their memory for other images of the same batch. */
  clear(): void {
    for (const { buffer, byteOffset, length } of this.#written.splice(0)) {
      // By words: filling shared memory by bytes takes four times as long.
      new BigUint64Array(buffer, byteOffset, wordAligned(length) / wordBytes).fill(0n);
    }
    for (const slab of this.#slabs) slab.usedBytes = 0;
  }

  /** Nothing may read or write the pixels any longer, because the next batch will use their memory. */
  [Symbol.dispose](): void {
    if (this.#released) return;
    this.#released = true;
    this.clear();
    this.#release();
  }

  #slabFor(bytes: number): Slab | undefined {
    const { slabBytes, slabsMax } = this.#limits;
    if (bytes > slabBytes) return undefined;
    const slab = this.#slabs.find((slab) => slab.usedBytes + bytes <= slabBytes);
    if (slab !== undefined || this.#slabs.length === slabsMax) return slab;
    const fresh = { memory: new SharedArrayBuffer(slabBytes), usedBytes: 0 };
    this.#slabs.push(fresh);
    return fresh;
  }
}

type PixelBufferLimits = {
  /** The most images of a batch. */
  batchMax: number;
  /** The longest side of a decoded image. */
  longSideMaxPx: number;
  /** Batches that run or are decoded at the same time. */
  buffersMax: number;
};

type Slab = { memory: SharedArrayBuffer; usedBytes: number };

const wordBytes = BigUint64Array.BYTES_PER_ELEMENT;

function wordAligned(bytes: number): number {
  return Math.ceil(bytes / wordBytes) * wordBytes;
}
