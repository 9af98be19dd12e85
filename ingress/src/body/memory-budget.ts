import { type Readable, Transform } from "node:stream";
import { HangTimeout } from "@faceline/runtime/starvation";
import type { FastifyInstance } from "fastify";
import { ApiError, capacityReached } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";
import type { BudgetLease, SharedBudget } from "../limits/shared-budget.ts";
import type { SlabPool } from "../memory/slab-pool.ts";
import type { BodyPace, PacedBody } from "./body-pace.ts";
import type { LargeCall, LargeCalls } from "./large-calls.ts";

/**
 * Limits the bytes of request bodies that are in memory at a time, each until the end of its call. Teams
 * share them. What counts is what has arrived, and a small reservation from the start: an upload that was
 * announced and does not come costs next to nothing. A call above its team's share is refused with
 * `queue_full`, before its body is read if its Content-Length already tells. An upload that pauses for
 * `bodyIdleMs`, or is slower than its least rate, is cut off. Bytes are read at the pace of their team; large
 * bodies wait for their turn before more than a first piece of them is read.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  settings: BodyMemorySettings,
  { budget, pace, largeCalls }: BodyParts,
): void {
  app.addHook("preParsing", async (request, reply, payload) => {
    const { headers, requestContext } = request;
    const contentLength = Number(headers["content-length"] ?? Number.NaN);
    // A body above BODY_BYTES_MAX gets its own error when it is read.
    const announcedBytes = Math.min(
      Number.isNaN(contentLength) ? reservedBytesMax : contentLength,
      settings.BODY_BYTES_MAX,
    );
    const reservedBytes = Math.min(announcedBytes, reservedBytesMax);
    const lease = budget.acquire(requestContext!.tenant, reservedBytes);
    if (lease === null) throw bodiesFull();
    onClose(reply, lease.release);
    if (!lease.canGrow(announcedBytes - reservedBytes)) throw bodiesFull();
    const body = meteredBody(payload, lease, {
      reservedBytes,
      bytesMax: settings.BODY_BYTES_MAX,
      idleMs: settings.idleMs ?? bodyIdleMs,
      bytesPerSecondMin: settings.bytesPerSecondMin ?? 0,
      // The rest of the request may never come.
      onIdle: () => void reply.header("connection", "close"),
      paced: pace.begin(request),
      beginLarge: () => largeCalls.begin(request, reply),
      discard: () => pace.discard(request, payload),
    });
    // After an early response, nobody reads the rest of the body.
    onClose(reply, () => body.destroy());
    return body;
  });
}

/**
 * Passes a body through and grows its lease by the bytes that arrive. It fails with an ApiError if the lease
 * cannot grow, or if the client is too slow (see `waitMaxMs`); the rest of the body is then discarded. While
 * bytes wait, their connection is not read.
 */
function meteredBody(payload: Readable, lease: BudgetLease, limits: MeterLimits): Transform {
  let receivedBytes = 0;
  let leasedBytes = limits.reservedBytes;
  let waitedMs = 0;
  let largeCall: LargeCall | undefined;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length;
      const growthBytes = Math.min(receivedBytes, limits.bytesMax) - leasedBytes;
      if (growthBytes > 0) {
        if (!lease.grow(growthBytes)) return done(bodiesFull());
        leasedBytes += growthBytes;
      }
      // The pause that starts here is ours, not the client's.
      waitedMs += idleTimeout?.ranMs ?? 0;
      idleTimeout?.[Symbol.dispose]();
      limits.paced.pass(chunk.length, () => {
        largeCall ??= limits.beginLarge();
        largeCall.pass((error) => {
          if (error !== undefined) return done(error);
          watchIdle();
          done(null, chunk);
        });
      });
    },
    flush(done) {
      largeCall?.complete();
      done();
    },
  });
  const watchIdle = () => {
    idleTimeout = new HangTimeout(waitMaxMs({ receivedBytes, waitedMs }, limits), () => {
      limits.onIdle();
      body.destroy(new ApiError("invalid_request", "The request did not arrive in time."));
    });
  };
  let idleTimeout: HangTimeout | undefined;
  watchIdle();
  // Without this listener, an error after a 413 response, which nobody waits for, would end the process.
  body.on("error", () => {});
  body.once("close", () => {
    idleTimeout?.[Symbol.dispose]();
    limits.paced.end();
    payload.unpipe(body);
    limits.discard();
  });
  // `pipeline` would destroy the request, and its connection before the response is sent.
  payload.once("error", (error) => body.destroy(error));
  return payload.pipe(body);
}

/**
 * Returns how long the next bytes of a body may take: `idleMs`, or less if its client has already taken
 * `waitedMs` for the bytes that have arrived, and would fall behind its minimum rate.
 */
export function waitMaxMs(
  { receivedBytes, waitedMs }: { receivedBytes: number; waitedMs: number },
  { idleMs, bytesPerSecondMin }: { idleMs: number; bytesPerSecondMin: number },
): number {
  if (bytesPerSecondMin === 0) return idleMs;
  const dueMs = slowStartMs + (receivedBytes / bytesPerSecondMin) * 1_000;
  return Math.min(idleMs, Math.max(0, dueMs - waitedMs));
}

/** A client that is silent for this long is gone: TCP has repeated a lost packet several times by then. */
const bodyIdleMs = 10_000;

/** The first bytes may take a while to arrive. */
const slowStartMs = 3_000;

const bodiesFull = (): ApiError =>
  capacityReached("bodies_full", "Too many bytes are in flight: retry shortly.");

/** Reserved for a body before its first bytes: about one read of a socket. */
const reservedBytesMax = 64 * 1024;

type MeterLimits = {
  reservedBytes: number;
  bytesMax: number;
  idleMs: number;
  bytesPerSecondMin: number;
  onIdle(): void;
  paced: PacedBody;
  /** Called once, when the first bytes have arrived. */
  beginLarge(): LargeCall;
  /** Reads what is left of the body. */
  discard(): void;
};

/** Parts that all routes share. */
export type BodyParts = { budget: SharedBudget; pace: BodyPace; pool: SlabPool; largeCalls: LargeCalls };

type BodyMemorySettings = {
  BODY_BYTES_MAX: number;
  idleMs?: number | undefined;
  /** A body that arrives more slowly is cut off. Without it there is no minimum rate. */
  bytesPerSecondMin?: number;
};
