import type { Server } from "node:http";
import type { Socket } from "node:net";
import { pendingResponses } from "./pending-responses.ts";

/**
 * Answers clients that shut down their writing side after the request, as `nc -N` and some proxies do (RFC
 * 9112 9.6). To the server, a client that has left looks the same: both send a FIN. To the second one bytes
 * come back as a reset, so a call that takes long sends two interim responses after the FIN, which every
 * client of HTTP/1.1 skips (RFC 9110 15.2): the first draws the reset, the second one fails by it, the
 * connection closes, and the call is cancelled. Clients of HTTP/1.0 know no interim responses; their calls go
 * on until their answer or deadline.
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
 * Most calls are answered before, and a program that takes the first line for the final one never sees an
 * interim response. Later would mean more work for clients that have left.
 */
const probeFromSecond = 3;
