import assert from "node:assert/strict";

/**
 * The memory that the pixels of batches lie in, shared with the engine's thread. One room a batch, in rotation: while
 * the engine reads one, the next batch is decoded into the other.
 *
 *     take ──► room.reserve(bytes) … decoded into, engine reads … ──► dispose: zeroed, and free for the next batch
 *
 * A room is cut into slabs, each as large as the largest picture. So a batch of `batchMax` pictures always fits: at
 * worst, each has a slab of its own. A slab is allocated when it is first needed and stays.
 */
export class PixelRooms {
  /** The most that all rooms together can come to hold. */
  readonly bytesMax: number;
  readonly #slabBytes: number;
  readonly #slabsMax: number;
  readonly #free: Slab[][];
  readonly #waiting: ((slabs: Slab[]) => void)[] = [];

  constructor({ batchMax, longSideMax, roomsMax = 2 }: RoomLimits) {
    this.#slabBytes = aligned(longSideMax * longSideMax * 3);
    this.#slabsMax = batchMax;
    this.#free = Array.from({ length: roomsMax }, () => []);
    this.bytesMax = roomsMax * batchMax * this.#slabBytes;
  }

  /** Waits for a batch to end when all rooms are taken; first come, first served. */
  async take(): Promise<PixelRoom> {
    const slabs = this.#free.pop() ?? (await new Promise<Slab[]>((resolve) => this.#waiting.push(resolve)));
    const limits = { slabBytes: this.#slabBytes, slabsMax: this.#slabsMax };
    return new PixelRoom(slabs, limits, () => this.#giveBack(slabs));
  }

  #giveBack(slabs: Slab[]): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slabs);
    else next(slabs);
  }
}

/** The pixels of one batch. */
export class PixelRoom implements Disposable {
  readonly #slabs: Slab[];
  readonly #limits: { slabBytes: number; slabsMax: number };
  readonly #giveBack: () => void;
  #open = true;

  constructor(slabs: Slab[], limits: { slabBytes: number; slabsMax: number }, giveBack: () => void) {
    this.#slabs = slabs;
    this.#limits = limits;
    this.#giveBack = giveBack;
  }

  /**
   * Memory for the pixels of one picture, zeros until they are written. Undefined: the room is full, or the picture larger
   * than any may be. Neither happens to a batch within the limits that the rooms were made for.
   */
  reserve(bytes: number): Uint8Array | undefined {
    assert(this.#open, "a picture wants into a room whose batch has ended");
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return undefined;
    const reserved = new Uint8Array(slab.memory, slab.usedBytes, bytes);
    slab.usedBytes += aligned(bytes);
    return reserved;
  }

  /** Nothing may write or read the pixels any more: the next batch will lie there. */
  [Symbol.dispose](): void {
    if (!this.#open) return;
    this.#open = false;
    for (const slab of this.#slabs) {
      // By words: filling shared memory by bytes takes four times as long.
      new BigUint64Array(slab.memory, 0, slab.usedBytes / WORD).fill(0n);
      slab.usedBytes = 0;
    }
    this.#giveBack();
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

export type RoomLimits = {
  /** The most pictures that a batch can have. */
  batchMax: number;
  /** The longest side that a decoded picture can have. */
  longSideMax: number;
  roomsMax?: number;
};

type Slab = { memory: SharedArrayBuffer; usedBytes: number };

const WORD = BigUint64Array.BYTES_PER_ELEMENT;

function aligned(bytes: number): number {
  return Math.ceil(bytes / WORD) * WORD;
}
