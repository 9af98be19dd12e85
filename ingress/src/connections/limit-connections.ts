import type { Socket } from "node:net";
import { closeUnreadConnections } from "@faceline/runtime/unread-responses";
import type { FastifyInstance } from "fastify";
import type { ClosedConnection } from "../call/closed-connection.ts";
import { addressGroup, addressMatcher } from "./address-group.ts";
import { ConnectionRoom } from "./connection-room.ts";
import { answerHalfClosed } from "./half-close.ts";
import { closeLingering } from "./lingering-close.ts";
import { trackResponses } from "./pending-responses.ts";
import { serveInTurn } from "./pipelining.ts";

/**
 * Bounds what connections of clients may hold: their number (see ConnectionRoom), their requests at a time,
 * and what is unread of their responses. Responses that come early stay readable, and clients that have only
 * ended their own side get theirs.
 */
export function limitConnections(app: FastifyInstance, options: ConnectionLimits): void {
  const { server } = app;
  const { CONNECTIONS_MAX, TRUSTED_PROXIES, BODY_BYTES_MAX, report, reportFull } = options;
  const isProxy = addressMatcher(TRUSTED_PROXIES);
  const room = new ConnectionRoom<Socket>(CONNECTIONS_MAX);
  app.decorate("connectionsFull", () => room.isFull);
  app.decorate("acceptConnection", (socket: Socket) => room.accept(socket));
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
  serveInTurn(app, room, report);
  closeUnreadConnections(server, () => report("response_not_read"));
  closeLingering(server, BODY_BYTES_MAX);
  answerHalfClosed(server);
}

type ConnectionLimits = {
  CONNECTIONS_MAX: number;
  TRUSTED_PROXIES: readonly string[];
  BODY_BYTES_MAX: number;
  report(reason: ClosedConnection): void;
  /** Called when a new connection was refused, and when there is room again. */
  reportFull(isFull: boolean): void;
};

declare module "fastify" {
  interface FastifyInstance {
    /** Whether new connections are refused: see ConnectionRoom. */
    connectionsFull(): boolean;
    /** Protects a connection one of whose requests has an accepted key. */
    acceptConnection(socket: Socket): void;
  }
}
