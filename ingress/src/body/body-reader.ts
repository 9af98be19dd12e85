import type { Readable } from "node:stream";
import { errorCodes } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { grouped } from "../images/base64.ts";
import type { BudgetLease } from "../limits/shared-budget.ts";
import type { Slab, SlabPool } from "../memory/slab-pool.ts";
import { bodiesFull } from "./memory-budget.ts";

/**
 * Reads one body to its end, into memory of the pool; a body that comes in one piece stays where it came.
 * Memory is taken as bytes arrive, never on the word of Content-Length, and counts against the lease.
 *
 *     #receive ──► #receive ──► … ──► #finish
 *         └──► #fail: the rest is read and dropped
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #body = Promise.withResolvers<CollectedBody>();
  #first: Buffer | undefined;
  #slab: Slab | undefined;
  #receivedBytes = 0;
  #isOver = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the body. Throws `request_too_large`, `queue_full`, or what Fastify's own reader would throw.
   * Does not return if the response was sent already, or the stream is destroyed without an error.
   */
  async read(payload: Readable, start: (receive: (piece: Buffer) => void) => void): Promise<CollectedBody> {
    const { contentLength, bytesMax } = this.#options;
    if (contentLength > bytesMax) throw tooLargeError(contentLength, bytesMax);
    payload
      .on("end", () => this.#finish())
      .on("error", (error) => this.#fail(Object.assign(error, { statusCode: 400 })))
      .on("close", () => this.#drop());
    start((piece) => this.#receive(piece));
    return this.#body.promise;
  }

  #receive(piece: Buffer): void {
    if (this.#isOver) return;
    const { bytesMax, lease } = this.#options;
    const from = this.#receivedBytes;
    this.#receivedBytes += piece.length;
    if (this.#receivedBytes > bytesMax) return this.#fail(tooLargeError(this.#receivedBytes, bytesMax));
    if (lease?.hasEnded) return this.#drop();
    if (lease?.growTo(this.#receivedBytes) === false) return this.#fail(bodiesFull());
    if (this.#first === undefined) {
      this.#first = piece;
      return;
    }
    this.#slab = this.#slabFor(this.#slab, this.#receivedBytes);
    this.#slab.wroteUpTo(this.#receivedBytes);
    piece.copy(this.#slab.bytes, from);
  }

  /** Returns a slab for `bytes` that begins with what has come, or the present one if it is large enough. */
  #slabFor(slab: Slab | undefined, bytes: number): Slab {
    if (slab !== undefined && bytes <= slab.bytes.length) return slab;
    const { contentLength, bytesMax, pool } = this.#options;
    const max = Number.isNaN(contentLength) ? bytesMax : contentLength;
    const larger = pool.take(Math.max(bytes, Math.min(max, bytes * growthFactor)));
    const written = slab?.bytes.subarray(0, slab.writtenBytes) ?? this.#first!;
    larger.wroteUpTo(written.length);
    written.copy(larger.bytes);
    slab?.release();
    return larger;
  }

  #finish(): void {
    if (this.#isOver) return;
    const { contentLength } = this.#options;
    if (!Number.isNaN(contentLength) && this.#receivedBytes !== contentLength)
      return this.#fail(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
    this.#isOver = true;
    const slab = this.#slab;
    this.#body.resolve({
      bytes: slab?.bytes.subarray(0, this.#receivedBytes) ?? this.#first ?? nothing,
      slab,
    });
  }

  #fail(error: Error): void {
    this.#drop();
    this.#body.reject(error);
  }

  #drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#slab?.release();
  }
}

/**
 * Two reads of a socket make room for 1 MiB at once, two photographs; a larger body is copied once more. New
 * memory costs nothing until it is written to.
 */
const growthFactor = 8;

function tooLargeError(bytes: number, bytesMax: number): ApiError {
  const detail = `The body is too large: it has ${grouped(bytes)} bytes or more, and the limit is ${grouped(bytesMax)}.`;
  return new ApiError("request_too_large", detail);
}

const nothing = Buffer.alloc(0);

export type CollectedBody = {
  bytes: Buffer;
  /** The memory that the bytes are in, held for whoever reads them; undefined: it is not of the pool. */
  slab: Slab | undefined;
};

type BodyReaderOptions = {
  /** NaN where none was sent. */
  contentLength: number;
  bytesMax: number;
  pool: SlabPool;
  /** Memory of the body; undefined: it is not limited. */
  lease?: BudgetLease | undefined;
};
