/** Turns of the event loop that a timeout spans at least, and so how many blocked ones prolong it at most. */
const parts = 4;

/**
 * A timeout for the reply of a server, which counts time in which this process could read. A turn of the
 * event loop that takes seconds leaves replies in the sockets, and Node runs timers that are due before it
 * reads them: with `setTimeout` they would be late although the server was quick.
 *
 *     part ──► part ──► part ──► part ──► sockets are read ──► onTimeout
 *
 * A part is a quarter of `ms`, and counts as that if its timer fires later. So `onTimeout` is called after
 * `ms` at the earliest. Each part is prolonged by one blocked turn at most, and sockets are read in between.
 */
export class ReplyTimeout implements Disposable {
  readonly #partMs: number;
  readonly #onTimeout: () => void;
  #remaining = parts;
  #timer: NodeJS.Timeout | undefined;
  #lastRead: NodeJS.Immediate | undefined;

  constructor(ms: number, onTimeout: () => void) {
    this.#partMs = Math.ceil(ms / parts);
    this.#onTimeout = onTimeout;
    this.#startPart();
  }

  #startPart(): void {
    this.#timer = setTimeout(() => {
      this.#remaining--;
      if (this.#remaining > 0) this.#startPart();
      // Node reads sockets between timers and immediates.
      else this.#lastRead = setImmediate(this.#onTimeout);
    }, this.#partMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastRead);
  }
}
