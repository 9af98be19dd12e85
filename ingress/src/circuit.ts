/** A probe that failed is followed by the next so soon. */
const probeEveryMs = 250;

/**
 * Whether a server is worth asking. After a failure it is open: nobody is let through, because everybody would wait as
 * long for the same no. One probe after the other goes on in the meantime, and the first that succeeds closes it.
 *
 *     closed ──failed()──► open ──probe() true──► closed
 *                          │  ▲
 *                          └──┘ false: again in 250 ms
 */
export class Circuit implements Disposable {
  readonly #probe: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #open = false;
  #disposed = false;

  /** `probe` must not throw, and says in bounded time whether the server answers. */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe;
  }

  get open(): boolean {
    return this.#open;
  }

  failed(): void {
    if (this.#open || this.#disposed) return;
    this.#open = true;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const back = await this.#probe();
    if (this.#disposed) return;
    if (back) this.#open = false;
    else this.#timer = setTimeout(() => void this.#ask(), probeEveryMs);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }
}
