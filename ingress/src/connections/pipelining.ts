import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { whenRead } from "@faceline/runtime/unread-responses";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { ClosedConnection } from "../call/closed-connection.ts";
import type { ConnectionRoom } from "./connection-room.ts";
import { pendingResponses } from "./pending-responses.ts";

/**
 * Lets a request of a connection begin when the previous response was sent and, unless the client is known by
 * its key, less than 64 KiB are unread. Refuses it if too many are waiting, and then closes the connection.
 * Tells the room how far the request has come.
 */
export function serveInTurn(
  app: FastifyInstance,
  room: ConnectionRoom<Socket>,
  report: (reason: ClosedConnection) => void,
): void {
  const reported = new WeakSet<Socket>();
  app.addHook("onRequest", async ({ raw }, reply) => {
    const { socket } = raw;
    const before = responsesBefore(socket, reply.raw);
    if (before.length >= requestsMax && !socket.writableEnded) {
      if (!reported.has(socket)) report("pipelined_requests");
      reported.add(socket);
      reply.header("connection", "close");
      const detail = `${requestsMax} requests of this connection wait for their responses; read them first.`;
      throw new ApiError("rate_limited", detail, { retryAfterMs: 1_000 });
    }
    await new Promise<unknown>((resolve) => before.at(-1)?.once("close", resolve) ?? resolve(undefined));
    if (!room.isKnown(socket)) await whenRead(socket);
    // Its last response was sent: no response to this one could be.
    if (socket.writableEnded || socket.destroyed) return reply.hijack();
    room.begin(socket);
    const complete = () => {
      if (!reply.sent) room.complete(socket);
    };
    if (hasBody(raw)) raw.once("end", complete);
    else complete();
    reply.raw.once("close", () => room.end(socket));
  });
  // The response may remain unread for long.
  app.addHook("onSend", async ({ raw }) => room.end(raw.socket));
}

function responsesBefore(socket: Socket, response: ServerResponse): ServerResponse[] {
  const pending = [...pendingResponses(socket)];
  return pending.slice(0, Math.max(0, pending.indexOf(response)));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const requestsMax = 16;
