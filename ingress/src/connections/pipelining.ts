import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { ClosedConnection } from "../call/closed-connection.ts";
import { pendingResponses } from "./pending-responses.ts";

/**
 * Refuses a request while its connection has too many unfinished ones, and closes the connection after that.
 * Each holds what its call holds, and nobody knows whether the client reads the responses.
 */
export function limitPipelining(app: FastifyInstance, report: (reason: ClosedConnection) => void): void {
  const reported = new WeakSet<Socket>();
  app.addHook("onRequest", async ({ raw: { socket } }, reply) => {
    // Its last response was sent: no response to this one could be.
    if (socket.writableEnded) return reply.hijack();
    if (pendingBefore(socket, reply.raw) < requestsMax) return;
    if (!reported.has(socket)) report("pipelined_requests");
    reported.add(socket);
    reply.header("connection", "close");
    const detail = `${requestsMax} requests of this connection wait for their responses; read them first.`;
    throw new ApiError("rate_limited", detail, { retryAfterMs: 1_000 });
  });
}

function pendingBefore(socket: Socket, response: ServerResponse): number {
  let count = 0;
  for (const pending of pendingResponses(socket)) {
    if (pending === response) return count;
    count++;
  }
  return 0;
}

const requestsMax = 16;
