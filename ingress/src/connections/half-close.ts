import type { Server } from "node:http";
import type { Socket } from "node:net";
import { pendingResponses } from "./pending-responses.ts";

/**
 * Answers clients that shut down their writing side after the request, as `nc -N` and some proxies do (RFC
 * 9112 9.6). To the server, a disconnected client looks the same: both send a FIN. But a disconnected client
 * answers further bytes with a reset, so a long request sends two interim responses after the FIN, which
 * every HTTP/1.1 client skips (RFC 9110 15.2): the first causes the reset, the second fails because of it,
 * the connection closes, and the request is cancelled. HTTP/1.0 clients know no interim responses; their
 * requests continue until their response or deadline.
 */
export function answerHalfClosed(server: Server): void {
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on("connection", (socket) => socket.once("end", () => probe(socket)));
}

function probe(socket: Socket): void {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    const [response] = pendingResponses(socket);
    const mayInterim = response?.headersSent === false && response.req.httpVersion !== "1.0";
    if (!mayInterim || seconds > probeFromSecond + 1) clearInterval(timer);
    else if (seconds >= probeFromSecond) response.writeContinue();
  }, 1_000).unref();
  socket.once("close", () => clearInterval(timer));
}

/**
 * Most requests are answered before, and a program that takes the first line for the final one never sees an
 * interim response. Later would mean more work for clients that have disconnected.
 */
const probeFromSecond = 3;
