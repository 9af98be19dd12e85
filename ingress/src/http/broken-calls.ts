import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.ts";
import { problemOf } from "./problems.ts";
import { requestIdOf } from "./request-id.ts";

/** The last words to a connection whose bytes are not HTTP, or do not come: in the shape of every other failure. */
export function answerBrokenCall(error: { code?: string }, socket: Socket, site: string, now: number): void {
  if (error.code !== "ECONNRESET") sayLast(refusalOf(error.code), socket, site, now);
}

/** CONNECT asks for a tunnel, so Node gives the connection away before there is a request, and else would close it silently. */
export function refuseTunnels(app: FastifyInstance, site: string, now: () => number): void {
  const refusal = new Refusal("invalid_request", "The call is a CONNECT: this service is no proxy.");
  app.server.on("connect", (_request, socket) => {
    // Nobody watches this connection any more: it must not stay half open, and whoever hangs up is no reason to fall.
    socket.once("finish", () => socket.destroy()).on("error", () => socket.destroy());
    sayLast(refusal, socket, site, now());
  });
}

function sayLast(refusal: Refusal, socket: Duplex, site: string, now: number): void {
  if (!socket.writable) return;
  const requestId = requestIdOf(undefined, now);
  const problem = problemOf(refusal, requestId, site);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Whatever a call expects besides `100-continue`, it is answered as if it had not said so: Node's own 417 has no body. */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
}

function refusalOf(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW") return new Refusal("request_too_large", "The headers are too large.");
  const detail = code === "ERR_HTTP_REQUEST_TIMEOUT" ? "did not arrive in time" : "is not valid HTTP";
  return new Refusal("invalid_request", `The call ${detail}.`);
}
