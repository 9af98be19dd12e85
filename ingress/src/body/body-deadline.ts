import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";

/**
 * Refuses requests of a scope whose body has not arrived within `withinMs`, for callers without a key:
 * otherwise, a body that trickles in would hold what they share for `requestTimeout`.
 */
export function addBodyDeadline(
  scope: FastifyInstance,
  withinMs: (request: FastifyRequest) => number | undefined,
): void {
  scope.addHook("onRequest", async (request, reply) => {
    const timer = setTimeout(() => {
      if (request.raw.complete) return;
      // The rest of the request may never come.
      reply.header("connection", "close");
      reply.send(new ApiError("invalid_request", "The request did not arrive in time."));
    }, withinMs(request));
    onClose(reply, () => clearTimeout(timer));
  });
}
