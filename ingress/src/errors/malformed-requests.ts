import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import { apiVersion } from "@faceline/contracts/http/response-fields";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { requestIdFrom } from "../call/request-headers.ts";
import { lingerThenClose } from "../connections/lingering-close.ts";
import { pendingResponses } from "../connections/pending-responses.ts";
import { problemFrom } from "./problem-response.ts";

/**
 * Responds on a connection whose bytes are not HTTP or do not arrive in time, with a problem of the usual
 * shape, and closes it. For Node's `clientError`, which comes without a request to respond to. Complete
 * earlier requests on the connection get their responses first.
 */
export function answerMalformedRequest(
  error: ConnectionError,
  socket: Socket,
  site: string,
  now: number,
): void {
  if (error.code === "ECONNRESET" || refused.has(socket)) return;
  refused.add(socket);
  const refuse = () => endWithProblem(parserError(error), socket, site, now);
  // Not requests whose body is still arriving: the fault is theirs, and this is their response.
  const last = [...pendingResponses(socket)].findLast((response) => response.req.complete);
  if (last === undefined) refuse();
  // Responses are written and closed in the order of their requests.
  else last.once("close", refuse);
}

const refused = new WeakSet<Socket>();

/**
 * Answers CONNECT with a problem. Node hands its connection over without a request, and would otherwise close
 * it silently.
 */
export function rejectConnect(app: FastifyInstance, site: string, now: () => number): void {
  const error = new ApiError("invalid_request", "The request is a CONNECT: this service is not a proxy.");
  app.server.on("connect", (_request, stream) => {
    const socket = stream as Socket;
    // Node no longer watches this socket: its errors must not end the process.
    socket.on("error", () => socket.destroy());
    endWithProblem(error, socket, site, now());
  });
}

/** Serves requests with an unknown `Expect` header as if they had none: Node's own 417 has no body. */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}

function endWithProblem(error: ApiError, socket: Socket, site: string, now: number): void {
  if (!socket.writable) return;
  const requestId = requestIdFrom(undefined, now);
  const problem = problemFrom(error, requestId, site);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `api-version: ${apiVersion}`,
    "connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  // Node no longer watches it: a client that does not close its side would keep it forever.
  lingerThenClose(socket);
}

function parserError({ code, rawPacket }: ConnectionError): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    const detail = `The headers are too large: the limit is ${maxHeaderSize / 1_024} KiB in all.`;
    return new ApiError("request_too_large", detail);
  }
  const start = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1", 0, 16) : "";
  const protocol = otherProtocols.find(([pattern]) => pattern.test(start))?.[1] ?? "is not valid HTTP";
  const detail = code === "ERR_HTTP_REQUEST_TIMEOUT" ? "did not arrive in time" : protocol;
  return new ApiError("invalid_request", `The request ${detail}.`);
}

/** `rawPacket`: the bytes that came last, a Buffer if the parser found fault with them. */
type ConnectionError = { code?: string; rawPacket?: unknown };

/** What proxies send in place of an HTTP/1.1 request, by its first bytes. */
const otherProtocols: readonly (readonly [RegExp, string])[] = [
  [/^PRI \* HTTP\/2/, "is HTTP/2, and this service speaks HTTP/1.1: turn off HTTP/2 (h2c) towards it"],
  [/^(PROXY |\r\n\r\n\0\r\nQUIT)/, "begins with the PROXY protocol: turn it off towards this service"],
  [/^\x16\x03/, "is TLS, and this port speaks plain HTTP: use http://, or a proxy that ends TLS"],
];
