import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { requestIdFrom } from "../call/request-headers.ts";
import { problemFrom } from "./problem-reply.ts";

// Covered by ./error-codes.test.ts.

/**
 * Replies on a connection whose bytes are not HTTP or do not arrive in time, with a problem of the usual
 * shape, and closes it. For Node's `clientError`, where there is no request to reply to. Requests that came
 * whole before on the connection get their responses first.
 */
export function answerMalformedRequest(
  error: { code?: string },
  socket: Socket,
  site: string,
  now: number,
): void {
  if (error.code === "ECONNRESET" || refused.has(socket)) return;
  refused.add(socket);
  const refuse = () => endWithProblem(parserError(error.code), socket, site, now);
  // Not those whose body is still arriving: they are the ones at fault, and are answered by this.
  const last = [...(unfinished.get(socket) ?? [])].findLast((response) => response.req.complete);
  if (last === undefined) refuse();
  // Responses are written and closed in the order of their requests.
  else last.once("close", refuse);
}

/**
 * Tracks the responses of a connection that are not finished. A client may send requests without waiting for
 * the responses (pipelining), and what cannot be read must not be refused in the place of those before it.
 */
export function trackResponses(app: FastifyInstance): void {
  app.server.on("request", (request, response) => {
    const ofSocket = unfinished.get(request.socket) ?? new Set();
    unfinished.set(request.socket, ofSocket.add(response));
    response.once("close", () => ofSocket.delete(response));
  });
}

/** In the order of their requests. */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>();
const refused = new WeakSet<Socket>();

/**
 * Answers CONNECT with a problem. Node hands its connection over without a request, and would else close it
 * silently.
 */
export function rejectConnect(app: FastifyInstance, site: string, now: () => number): void {
  const error = new ApiError("invalid_request", "The call is a CONNECT: this service is no proxy.");
  app.server.on("connect", (_request, socket) => {
    // Node no longer watches this socket: its errors must not end the process.
    socket.on("error", () => socket.destroy());
    endWithProblem(error, socket, site, now());
  });
}

/** Serves requests with an unknown `Expect` header as if they had none: Node's own 417 has no body. */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}

function endWithProblem(error: ApiError, socket: Duplex, site: string, now: number): void {
  if (!socket.writable) return;
  const requestId = requestIdFrom(undefined, now);
  const problem = problemFrom(error, requestId, site);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  closeAfterLinger(socket);
}

/**
 * Destroys a connection that was answered and ended, once the client has had time to read the answer. Node no
 * longer watches it: a client that does not close its side would keep it for ever. Bytes that arrive
 * meanwhile are discarded: a socket that is closed with unread bytes resets the connection, and the client
 * may lose the answer (the "lingering close" of other servers).
 */
function closeAfterLinger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer)).resume();
}

const lingerMs = 1_000;

function parserError(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return new ApiError("request_too_large", "The headers are too large.");
  const detail = code === "ERR_HTTP_REQUEST_TIMEOUT" ? "did not arrive in time" : "is not valid HTTP";
  return new ApiError("invalid_request", `The call ${detail}.`);
}
