/** The pause after a probe that failed. */
const probeEveryMs = 250;

/**
 * Circuit breaker for one server. After a failure it is open: callers should not try, because each would wait
 * as long for the same failure. Meanwhile it probes the server, one probe at a time; the first success closes
 * it.
 *
 *     closed ──recordFailure()──► open ──probe() true──► closed
 *                                 │  ▲
 *                                 └──┘ false: next probe in 250 ms
 */
export class CircuitBreaker implements Disposable {
  readonly #probe: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #open = false;
  #disposed = false;

  /** `probe` resolves to whether the server is reachable, in bounded time. It must not throw. */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  recordFailure(): void {
    if (this.#open || this.#disposed) return;
    this.#open = true;
    void this.#runProbe();
  }

  async #runProbe(): Promise<void> {
    const reachable = await this.#probe();
    if (this.#disposed) return;
    if (reachable) this.#open = false;
    else this.#timer = setTimeout(() => void this.#runProbe(), probeEveryMs);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }
}
