import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { closeUnreadConnections } from "@faceline/runtime/unread-responses";
import type { ClosedConnection } from "../call/closed-connection.ts";
import { addressGroup, addressMatcher } from "./address-group.ts";
import { ConnectionRoom } from "./connection-room.ts";
import { answerHalfClosed } from "./half-close.ts";
import { closeLingering } from "./lingering-close.ts";
import { pendingResponses, trackResponses } from "./pending-responses.ts";

/**
 * Bounds what connections of clients may hold: their number, in all and of one source (see ConnectionRoom),
 * and the time in which nothing of a response is read. Responses that come early stay readable, and clients
 * that have only ended their own side get theirs.
 */
export function limitConnections(server: Server, options: ConnectionLimits): OpenConnections {
  const { CONNECTIONS_MAX, TRUSTED_PROXIES, BODY_BYTES_MAX, ofSourceMax, report, reportFull } = options;
  const isProxy = addressMatcher(TRUSTED_PROXIES);
  const room = new ConnectionRoom<Socket>({ connectionsMax: CONNECTIONS_MAX, ofSourceMax });
  trackResponses(server);
  let wasFull = false;
  const noteFull = () => {
    if (room.isFull !== wasFull) reportFull((wasFull = room.isFull));
  };
  server.on("connection", (socket) => {
    const closing = room.open(socket, sourceOf(socket, isProxy));
    socket.once("close", () => {
      room.close(socket);
      noteFull();
    });
    if (closing === undefined) return;
    noteFull();
    report(closing.reason);
    // A plain close would leave what is unread of its responses in the kernel.
    closing.connection.resetAndDestroy();
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    if (mayBeIncomplete(request)) request.once("end", () => room.setBusy(socket));
    else room.setBusy(socket);
    response.once("close", () => {
      if (pendingResponses(socket).size === 0 && !socket.destroyed) room.setSilent(socket);
    });
  });
  closeUnreadConnections(server, () => report("response_not_read"));
  closeLingering(server, BODY_BYTES_MAX);
  answerHalfClosed(server);
  return { isFull: () => room.isFull };
}

/**
 * Returns whether a request may be without its body for long, and without a key. Until it is complete, its
 * connection counts as silent: else headers of a form, and no body, would hold their connections for minutes.
 */
function mayBeIncomplete({ headers }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return hasBody && headers["x-api-key"] === undefined && headers.authorization === undefined;
}

function sourceOf({ remoteAddress }: Socket, isProxy: (address: string) => boolean): string | undefined {
  return remoteAddress === undefined || isProxy(remoteAddress) ? undefined : addressGroup(remoteAddress);
}

type ConnectionLimits = {
  CONNECTIONS_MAX: number;
  TRUSTED_PROXIES: readonly string[];
  BODY_BYTES_MAX: number;
  ofSourceMax?: number | undefined;
  report(reason: ClosedConnection): void;
  /** Called when a connection had to make room for another one, and when there is room again. */
  reportFull(isFull: boolean): void;
};
type OpenConnections = { isFull(): boolean };
