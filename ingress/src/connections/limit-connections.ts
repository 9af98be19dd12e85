import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closeUnreadConnections } from "@faceline/runtime/unread-responses";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { ClosedConnection } from "../call/closed-connection.ts";
import { addressGroup, addressMatcher } from "./address-group.ts";
import { ConnectionRoom } from "./connection-room.ts";
import { pendingResponses, trackResponses } from "./pending-responses.ts";

/**
 * Bounds what connections of clients may hold: their number (see ConnectionRoom), their requests at a time,
 * and what is unread of their responses. Responses that come early stay readable.
 */
export function limitConnections(app: FastifyInstance, options: ConnectionLimits): void {
  const { server } = app;
  const { CONNECTIONS_MAX, TRUSTED_PROXIES, report, reportFull } = options;
  const isProxy = addressMatcher(TRUSTED_PROXIES);
  const room = new ConnectionRoom<Socket>(CONNECTIONS_MAX);
  app.decorate("connectionsFull", () => room.isFull);
  app.decorate("acceptConnection", (socket: Socket) => room.setBusy(socket, true));
  trackResponses(server);
  let wasFull = false;
  const noteFull = () => {
    if (room.isFull !== wasFull) reportFull((wasFull = room.isFull));
  };
  server.on("connection", (socket) => {
    const { remoteAddress = "" } = socket;
    const closing = room.open(socket, isProxy(remoteAddress) ? undefined : addressGroup(remoteAddress));
    noteFull();
    socket.once("close", () => {
      room.close(socket);
      noteFull();
    });
    if (closing === undefined) return;
    report("connections_full");
    // A plain close would leave what is unread of its responses in the kernel.
    closing.resetAndDestroy();
  });
  serveInTurn(app, report);
  app.addHook("preValidation", async ({ raw }, reply) => {
    if (!reply.sent) room.setBusy(raw.socket, true);
  });
  // The response may remain unread for long.
  app.addHook("onSend", async ({ raw: { socket }, callRecord }, reply, payload) => {
    room.setBusy(socket, false);
    const { length = 0 } = (payload ?? {}) as { length?: number };
    if (callRecord?.keyId === undefined && socket.bytesWritten + length > keylessBytesMax)
      reply.header("connection", "close");
  });
  closeUnreadConnections(server, () => report("response_not_read"));
}

/**
 * Lets a request of a connection begin when the response before it was sent. Refuses it while too many wait,
 * and closes the connection after that.
 */
function serveInTurn(app: FastifyInstance, report: (reason: ClosedConnection) => void): void {
  const reported = new WeakSet<Socket>();
  app.addHook("onRequest", async ({ raw: { socket } }, reply) => {
    const before = responsesBefore(socket, reply.raw);
    if (before.length >= requestsMax && !socket.writableEnded) {
      if (!reported.has(socket)) report("pipelined_requests");
      reported.add(socket);
      reply.header("connection", "close");
      const detail = `${requestsMax} requests of this connection wait for their responses; read them first.`;
      throw new ApiError("rate_limited", detail, { retryAfterMs: 1_000 });
    }
    await new Promise<unknown>((resolve) => before.at(-1)?.once("close", resolve) ?? resolve(undefined));
    // Its last response was sent: no response to this one could be.
    if (socket.writableEnded || socket.destroyed) return reply.hijack();
  });
}

function responsesBefore(socket: Socket, response: ServerResponse): ServerResponse[] {
  const pending = [...pendingResponses(socket)];
  return pending.slice(0, Math.max(0, pending.indexOf(response)));
}

const requestsMax = 16;

/**
 * With more than this, the response to a request without an accepted key is the last one of its connection:
 * the kernel would take megabytes of unread documents from each.
 */
const keylessBytesMax = 128 * 1024;

type ConnectionLimits = {
  CONNECTIONS_MAX: number;
  TRUSTED_PROXIES: readonly string[];
  report(reason: ClosedConnection): void;
  /** Called when a new connection was refused, and when there is room again. */
  reportFull(isFull: boolean): void;
};

declare module "fastify" {
  interface FastifyInstance {
    /** Whether new connections are refused: see ConnectionRoom. */
    connectionsFull(): boolean;
    /** Keeps a connection of which a request has an accepted key. */
    acceptConnection(socket: Socket): void;
  }
}
