import type { FastifyInstance } from "fastify";
import { type ApiError, capacityReached } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";
import type { BudgetLease, SharedBudget } from "../limits/shared-budget.ts";

/**
 * Limits the bytes of request bodies that are in memory at a time, each until the end of its call. Teams
 * share them. What counts is what has arrived, and a small reservation from the start: an upload that was
 * announced and does not come costs next to nothing. A call above its team's share is refused with
 * `queue_full`, before its body is read if its Content-Length already tells.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  { BODY_BYTES_MAX }: { BODY_BYTES_MAX: number },
  budget: SharedBudget,
): void {
  app.addHook("preParsing", async (request, reply) => {
    const contentLength = Number(request.headers["content-length"] ?? reservedBytesMax);
    // A body above BODY_BYTES_MAX gets its own error when it is read.
    const announcedBytes = Math.min(contentLength, BODY_BYTES_MAX);
    const lease = budget.acquire(request.requestContext!.tenant, Math.min(announcedBytes, reservedBytesMax));
    if (lease === null) throw bodiesFull();
    onClose(reply, lease.release);
    if (!lease.canGrowTo(announcedBytes)) throw bodiesFull();
    request.bodyLease = lease;
  });
}

export const bodiesFull = (): ApiError =>
  capacityReached("bodies_full", "Too many bytes are in flight: retry shortly.");

/** Reserved for a body before its first bytes: about one read of a socket. */
const reservedBytesMax = 64 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** The memory of the body: see limitBodyMemory. */
    bodyLease?: BudgetLease;
  }
}
