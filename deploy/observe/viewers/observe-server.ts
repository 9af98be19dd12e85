import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { openReplyServer, type Reply, targetOf } from "@faceline/runtime/reply-server";
import type { SpanQueue } from "./span-queue.ts";
import { toZipkinSpans } from "./zipkin-spans.ts";

/**
 * Serves on loopback:
 *
 *     GET /             the links page
 *     GET /traces/NAME  leads to a search in Zipkin
 *     POST /v1/traces   takes spans in: OTLP by HTTP in JSON, also with gzip
 *
 * Zipkin itself takes no OTLP. The replies are those that OTLP gives to exporters: 400 for what cannot be
 * read, 413 and 415, and 503 while no more spans fit, after which an exporter tries again.
 */
export function openObserveServer(options: ObserveServerOptions): Promise<AsyncDisposable> {
  const { port } = options;
  const limits = { requestTimeout: requestMs, headersTimeout: requestMs, connectionsMax };
  return openReplyServer({ host: "127.0.0.1", port, ...limits }, (request) => answerTo(options, request));
}

async function answerTo(options: ObserveServerOptions, request: IncomingMessage): Promise<Reply> {
  // A web page can point a host name of its own at loopback; its requests name it.
  if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? "")) {
    return { status: 403, text: "This is served only on 127.0.0.1.\n" };
  }
  const { path } = targetOf(request);
  if (path === "/v1/traces") {
    if (request.method !== "POST") return { status: 405, headers: { allow: "POST" } };
    return takeSpans(options, request);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 405, headers: { allow: "GET, HEAD" } };
  }
  if (path === "/") return { status: 200, type: "text/html; charset=utf-8", text: await options.page() };
  const location = /^\/traces\/(\w+)$/.exec(path)?.[1];
  const search = location === undefined ? undefined : options.search(location);
  if (search !== undefined) return { status: 302, headers: { location: search } };
  return { status: 404, text: "There is nothing here; the links page is at /\n" };
}

async function takeSpans(options: ObserveServerOptions, request: IncomingMessage): Promise<Reply> {
  // Pages of other origins may post forms and texts without being allowed to, but no JSON.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    return otlpReply(415, "only JSON: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json");
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") return otlpReply(415, "only gzip");
  const body = await readBody(request);
  if (body === undefined) return otlpReply(413, `more than ${bodyBytesMax} bytes`);
  try {
    const text = encoding === "gzip" ? await unzip(body, { maxOutputLength: bodyBytesMax }) : body;
    const spans = toZipkinSpans(JSON.parse(text.toString("utf8")), options.traceAddress);
    if (options.queue.add(spans)) return otlpReply(200);
    return { ...otlpReply(503, "too many spans wait for Zipkin"), headers: { ...json, "retry-after": "1" } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return otlpReply(413, `more than ${bodyBytesMax} bytes`);
    return otlpReply(400, "not an ExportTraceServiceRequest in JSON");
  }
}

/** Undefined where it is too large; the rest is then not kept. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const json = { "content-type": "application/json" };
const otlpReply = (status: number, message?: string): Reply => ({
  status,
  headers: json,
  text: JSON.stringify(message === undefined ? {} : { message }),
});

const unzip = promisify(gunzip);
const bodyBytesMax = 4 * 1024 * 1024;
const connectionsMax = 64;
/** Limit of a whole request. */
const requestMs = 5_000;

type ObserveServerOptions = {
  port: number;
  queue: Pick<SpanQueue, "add">;
  /** Address of a trace in Zipkin. */
  traceAddress(traceId: string): string;
  /** The links page, as HTML. */
  page(): Promise<string>;
  /** Address of the search of this name in Zipkin; undefined where there is none. */
  search(name: string): string | undefined;
};
