import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/**
 * Tracks the responses of each connection that are not finished. A client may send requests without waiting
 * for the responses (pipelining), so there may be several.
 */
export function trackResponses(server: Server): void {
  server.on("request", (request, response) => {
    const ofSocket = pending.get(request.socket) ?? new Set();
    pending.set(request.socket, ofSocket.add(response));
    response.once("close", () => ofSocket.delete(response));
  });
}

/** Returns the unfinished responses of a connection, in the order of their requests. */
export const pendingResponses = (socket: Duplex): ReadonlySet<ServerResponse> => pending.get(socket) ?? none;

const pending = new WeakMap<Duplex, Set<ServerResponse>>();
const none: ReadonlySet<ServerResponse> = new Set();
