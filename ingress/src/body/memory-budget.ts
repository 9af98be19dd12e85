import type { FastifyInstance } from "fastify";
import { capacityReached } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";

/**
 * Limits the bytes of request bodies that are in memory at a time, each from its first byte to the end of its
 * call. A call above the limit is refused with `queue_full` before its body is read. Without Content-Length a
 * body counts as BODY_BYTES_MAX.
 */
export function limitBodyMemory(app: FastifyInstance, settings: BodyMemorySettings): void {
  let heldBytes = 0;

  app.addHook("onRequest", async ({ headers }, reply) => {
    const announcedBytes = Number(headers["content-length"] ?? settings.BODY_BYTES_MAX);
    // A body above BODY_BYTES_MAX gets its own error when it is read.
    const bytes = Math.min(announcedBytes, settings.BODY_BYTES_MAX);
    if (heldBytes + bytes > settings.BODIES_IN_FLIGHT_BYTES_MAX) {
      throw capacityReached("Too many bytes are in flight; try again shortly.");
    }
    heldBytes += bytes;
    onClose(reply, () => {
      heldBytes -= bytes;
    });
  });
}

type BodyMemorySettings = { BODY_BYTES_MAX: number; BODIES_IN_FLIGHT_BYTES_MAX: number };
