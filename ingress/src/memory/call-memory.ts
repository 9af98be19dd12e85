import type { Slab } from "./slab-pool.ts";

/**
 * The slab that holds the images of one call, if one does. It becomes free at the first of these events:
 *
 *     parsed ──► handler runs ──► images are stored, or the handler has ended
 *            └─► the response was sent, or the client has left, before a handler ran
 *
 * Whoever reads images longer must hold them: when a slab is free, they show zeros, or those of another call.
 */
export class CallMemory {
  #slab: Slab | undefined;
  #phase: "parsing" | "handling" | "ended" = "parsing";

  /** Takes over a slab of which the parsed body has parts. */
  keep(slab: Slab): void {
    this.#slab = slab;
    if (this.#phase === "ended") this.free();
  }

  /** Must be called before a handler runs, and disposed after it. Throws if the images are gone. */
  use(): Disposable {
    if (this.#phase === "ended") throw new Error("the request ended before its handler ran");
    this.#phase = "handling";
    return { [Symbol.dispose]: () => this.free() };
  }

  /** Must be called when the response was sent or the client has left. */
  end(): void {
    if (this.#phase === "handling") return;
    this.#phase = "ended";
    this.free();
  }

  /** Keeps the images as they are until the result is disposed, once. */
  hold(): Disposable {
    const slab = this.#slab;
    slab?.hold();
    return { [Symbol.dispose]: () => slab?.release() };
  }

  /** Must be called when nobody will read the images but those who hold them. */
  free(): void {
    this.#slab?.release();
    this.#slab = undefined;
  }
}
