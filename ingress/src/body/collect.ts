import type { Readable } from "node:stream";
import { errorCodes } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { grouped } from "../images/base64.ts";
import { Slab, type SlabPool } from "../memory/slab-pool.ts";

/**
 * Reads a body to its end, into memory of the pool; a body that comes in one piece stays where it came.
 * Memory is taken as bytes arrive, never on the word of Content-Length. Throws what Fastify's own reader
 * would throw. Does not return if the stream is destroyed without an error: the response was sent already.
 */
export function collectBody(payload: Readable, { contentLength, bytesMax, pool }: CollectOptions) {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedBody>();
  if (contentLength > bytesMax) throw tooLargeError(contentLength, bytesMax);
  const room = { pool, bytesMax: Number.isNaN(contentLength) ? bytesMax : contentLength };
  let first: Buffer | undefined;
  let slab: Slab | undefined;
  let receivedBytes = 0;

  const onData = (chunk: Buffer) => {
    const from = receivedBytes;
    receivedBytes += chunk.length;
    if (receivedBytes > bytesMax) return fail(tooLargeError(receivedBytes, bytesMax));
    if (first === undefined) {
      first = chunk;
      return;
    }
    slab = withRoom(slab ?? first, receivedBytes, room);
    slab.wroteUpTo(receivedBytes);
    chunk.copy(slab.bytes, from);
  };
  const stop = () => {
    payload.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
  };
  const onClose = () => {
    stop();
    slab?.release();
  };
  const fail = (error: Error) => {
    onClose();
    reject(error);
  };
  const onError = (error: Error & { statusCode?: number }) => {
    error.statusCode ??= 400;
    fail(error);
  };
  const onEnd = () => {
    if (!Number.isNaN(contentLength) && receivedBytes !== contentLength)
      return fail(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
    stop();
    resolve({ bytes: slab?.bytes.subarray(0, receivedBytes) ?? first ?? nothing, slab });
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  payload.resume();
  return promise;
}

/** Returns a slab for `bytes` that begins with what has arrived, or its slab if that is large enough. */
function withRoom(received: Slab | Buffer, bytes: number, { bytesMax, pool }: RoomOptions): Slab {
  const slab = received instanceof Slab ? received : undefined;
  if (slab !== undefined && bytes <= slab.bytes.length) return slab;
  const larger = pool.take(Math.max(bytes, Math.min(bytesMax, bytes * growthFactor)));
  const written = slab?.bytes.subarray(0, slab.writtenBytes) ?? (received as Buffer);
  larger.wroteUpTo(written.length);
  written.copy(larger.bytes);
  slab?.release();
  return larger;
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
  /** The memory that the bytes are in, held for whoever reads them; undefined: it is not the pool's. */
  slab: Slab | undefined;
};

type RoomOptions = { bytesMax: number; pool: SlabPool };
/** `contentLength` is NaN if none was sent. */
type CollectOptions = RoomOptions & { contentLength: number };
