import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { closeUnreadConnections } from "./unread-responses.ts";

/**
 * Opens an HTTP server for people and programs of the operators, where every request ends with a reply and
 * none ends the process: 500 if `replyTo` throws, 400 if the bytes are not a request. `replyTo` gets whatever
 * a client sent: `url` may be any text, and is to be split with `targetOf`, because URL throws. Throws the
 * error of the system if the port cannot be listened on.
 */
export async function openReplyServer(
  { host, port, connectionsMax, requestsPerConnectionMax = 0, ...options }: ReplyServerOptions,
  replyTo: (request: IncomingMessage) => Promise<Reply>,
): Promise<AsyncDisposable> {
  const server = createServer(options, (request, response) => {
    // A client that has disconnected is not a fault of this process.
    response.on("error", () => response.destroy());
    Promise.resolve(request)
      .then(replyTo)
      .catch(() => failed)
      .then((reply) => send(reply, request, response))
      .catch(() => response.destroy());
  });
  server.maxConnections = connectionsMax;
  server.maxRequestsPerSocket = requestsPerConnectionMax;
  answerOddBytes(server);
  closeUnreadConnections(server);
  server.listen({ host, port });
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The path and the query of a request, whatever text its target is. */
export function targetOf({ url = "" }: IncomingMessage): { path: string; query: string } {
  const [path = "", ...query] = url.split("?");
  return { path, query: query.join("?") };
}

function send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  const { status, type = "text/plain; charset=utf-8", text = "", stream, headers = {} } = reply;
  // Unread bodies must not stay in memory.
  request.resume();
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  if (stream === undefined) response.end(text);
  // An error means that the reader has disconnected.
  else pipeline(stream, response, () => {});
}

/** Node passes on what is not a request: bytes that it cannot parse, and CONNECT, without a response. */
function answerOddBytes(server: Server): void {
  const refuse = (socket: Duplex, status: string) => {
    if (!socket.writable) return void socket.destroy();
    const head = [
      "content-type: text/plain; charset=utf-8",
      `content-length: ${odd.length}`,
      "connection: close",
    ];
    socket.end(`HTTP/1.1 ${status}\r\n${head.join("\r\n")}\r\n\r\n${odd}`, () => socket.destroy());
  };
  // As if it had none: Node's own 417 has no text.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
    refuse(socket, statusOfFault[code ?? ""] ?? "400 Bad Request");
  });
  server.on("connect", (_request, socket) => {
    // Node no longer watches this socket.
    socket.on("error", () => socket.destroy());
    refuse(socket, "400 Bad Request");
  });
}

const odd = "This request cannot be answered here.\n";
/** The same statuses as Node sends without a handler. */
const statusOfFault: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

const failed: Reply = { status: 500, text: "This could not be read.\n" };

/** `stream` in place of `text`: the reply ends with it. */
export type Reply = {
  status: number;
  type?: string;
  text?: string | Buffer;
  stream?: Readable;
  headers?: Record<string, string>;
};

type ReplyServerOptions = ServerOptions & {
  host: string;
  port: number;
  connectionsMax: number;
  /** 0, the default: without limit. */
  requestsPerConnectionMax?: number;
};
