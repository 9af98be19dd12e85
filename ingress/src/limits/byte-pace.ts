/**
 * Decides when the bytes of one team's bodies are passed on: a token bucket that holds the bytes of a second.
 * Bytes that exceed it wait instead of being refused; while they wait nothing further is read from their
 * connection, and TCP slows the client down. To parse, decode and store a body takes time in proportion to
 * its bytes, so this bounds the share of the process that one team can take, however few its calls are.
 *
 * The body that began first goes first. If all of a team's bodies advanced alike, they would be complete, and
 * keep the process busy, at the same instant.
 *
 *     push ──► [ waiting, first begun first ] ──► pass(now) ──► chunks that may pass | when to ask again
 *
 * Holds no timer, socket or clock.
 */
export class BytePace<Chunk extends PacedChunk> {
  readonly #bytesPerSecond: number;
  readonly #waiting: Chunk[] = [];
  /** The instant at which all bytes so far are paid for. */
  #paidAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  push(chunk: Chunk): void {
    const after = this.#waiting.findLastIndex(({ body }) => body <= chunk.body);
    this.#waiting.splice(after + 1, 0, chunk);
  }

  /** Forgets a chunk whose body has ended. */
  remove(chunk: Chunk): void {
    const index = this.#waiting.indexOf(chunk);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  /** Returns the chunks that may pass, in order, and after how many ms the next one may; null: none waits. */
  pass(now: number): { chunks: Chunk[]; nextInMs: number | null } {
    const chunks: Chunk[] = [];
    this.#paidAt = Math.max(this.#paidAt, now - burstMs);
    while (this.#paidAt <= now && this.#waiting.length > 0) {
      const chunk = this.#waiting.shift()!;
      this.#paidAt += (chunk.bytes * 1_000) / this.#bytesPerSecond;
      chunks.push(chunk);
    }
    return { chunks, nextInMs: this.#waiting.length === 0 ? null : this.#paidAt - now };
  }

  /** Whether nothing waits and the bucket is full: then it need not be kept. */
  isIdle(now: number): boolean {
    return this.#waiting.length === 0 && this.#paidAt <= now - burstMs;
  }
}

/** Burst of a team: the bytes of a second. */
const burstMs = 1_000;

/** `body`: a number that is higher for a body that began later. */
export type PacedChunk = { body: number; bytes: number };
