import type { Slab } from "./slab-pool.ts";

/**
 * The slab in which the images of one call are, if they are in one. It is held from the time that the body
 * was parsed until the response was sent or the client has left; beyond it by the handler while it runs, and
 * by writes to Redis. Whoever reads images after an `await` must hold it: after its end their memory shows
 * zeros, or the images of another call.
 */
export class CallMemory {
  #slab: Slab | undefined;
  #isOver = false;

  /** Takes over a slab of which the parsed body has parts. */
  keep(slab: Slab): void {
    this.#slab = slab;
    if (this.#isOver) slab.release();
  }

  /** Keeps the images until the result is disposed, once or more often. Throws if they are gone. */
  hold(): Disposable {
    const slab = this.#slab;
    slab?.hold();
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (isHeld) slab?.release();
        isHeld = false;
      },
    };
  }

  /** Must be called once, when the response was sent or the client has left. */
  end(): void {
    this.#isOver = true;
    this.#slab?.release();
  }
}
