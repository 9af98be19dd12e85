import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { pendingResponses } from "./pending-responses.ts";

// Covered by ./limit-connections.test.ts.

/**
 * Refuses a request while its connection has too many unfinished ones, and closes the connection after that.
 * Each holds what its call holds, and nobody knows whether the client reads the responses.
 */
export function limitPipelining(
  app: FastifyInstance,
  ports: Pick<Ports, "reportClosedConnection">,
): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    // Its last response was sent: no response to this one could be.
    if (raw.socket.writableEnded) return reply.hijack();
    if (pendingResponses(raw.socket).size <= requestsMax) return;
    ports.reportClosedConnection("pipelined_requests");
    reply.header("connection", "close");
    throw new ApiError("rate_limited", `${requestsMax} requests of this connection wait for their responses.`, {
      retryAfterMs: 1_000,
    });
  });
}

const requestsMax = 16;
