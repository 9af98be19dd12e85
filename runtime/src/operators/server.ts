import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { livePage } from "../../live/serve/live-page.ts";
import type { LiveState } from "../../live/state.ts";
import type { PageFormat } from "../metrics/metrics.ts";
import { openReplyServer, type Reply, targetOf } from "../reply-server.ts";

/**
 * Serves what operators and orchestrators ask a process:
 *
 *     GET /livez       200: the process responds
 *     GET /readyz      200, or 503 where something that its work needs was not responsive lately
 *     GET /metrics     the page for Prometheus, as OpenMetrics if asked; needs the token, if there is one
 *     GET /live        a page for people, which shows what is in /live.json, once a second
 *     GET /live.json   what this process does now; needs the token, if there is one
 *     GET /calls       of an ingress: its calls as JSON lines while it is read; needs the token likewise
 */
export async function openOperatorsServer(options: OperatorsServerOptions): Promise<AsyncDisposable> {
  const { host, port } = options;
  const limits = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1_000,
    connectionsMax,
    requestsPerConnectionMax: 1_000,
  };
  try {
    return await openReplyServer({ host, port, ...limits }, (request) => replyTo(options, request));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const fault = `${host}:${port} cannot be listened on (${code})`;
    throw new Error(`OPERATORS_PORT: ${fault}; set another port, or OPERATORS_HOST`, { cause });
  }
}

async function replyTo(options: OperatorsServerOptions, request: IncomingMessage): Promise<Reply> {
  const { token, page, state, checks } = options;
  const { path, query } = targetOf(request);
  if (!paths.has(path) && !path.startsWith("/live/")) return notFound;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 405, text: "Only GET and HEAD.\n", headers: { allow: "GET, HEAD" } };
  }
  if (path === "/livez") return { status: 200, text: "ok\n" };
  if (path === "/readyz") {
    const unresponsive = Object.entries(await checks()).filter(([, isResponsive]) => !isResponsive);
    if (unresponsive.length === 0) return { status: 200, text: "ok\n" };
    return { status: 503, text: `not ready: ${unresponsive.map(([name]) => name).join(", ")}\n` };
  }
  const pageReply = await livePage(path);
  if (pageReply !== undefined) return { status: 200, ...pageReply };
  if (!paths.has(path)) return notFound;
  if (!mayRead(token, request)) return unauthorized;
  if (path === "/calls") return replyOfCalls(options, query, request);
  if (path === "/metrics") {
    const format = request.headers.accept?.includes("application/openmetrics-text") ? "openmetrics" : "text";
    return { status: 200, type: pageTypes[format], text: await page(format) };
  }
  const live: LiveState = { ...state(), checks: await checks() };
  return { status: 200, type: json, text: JSON.stringify(live) };
}

/** The calls from now on, for somebody who may read them. */
function replyOfCalls({ openCalls }: OperatorsServerOptions, query: string, request: IncomingMessage): Reply {
  if (openCalls === undefined) return notFound;
  const salt = new URLSearchParams(query).get("salt") ?? "";
  // Only reading them takes the place of a reader.
  const stream = request.method === "GET" ? openCalls(salt.slice(0, saltMax)) : undefined;
  return stream === undefined ? tooManyReaders : { status: 200, type: "application/jsonl", stream };
}

const pageTypes: Record<PageFormat, string> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

const paths = new Set(["/livez", "/readyz", "/metrics", "/live", "/live.json", "/calls"]);

/**
 * Whether a request may be answered. With a token, it must have come. Without one the port is on loopback,
 * where web pages in a browser of this machine reach it too: by a host name of their own, which is refused.
 */
function mayRead(token: string | undefined, { headers }: IncomingMessage): boolean {
  if (token === undefined) return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(headers.host ?? "");
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const notFound: Reply = {
  status: 404,
  text: "There are /livez, /readyz, /metrics and /live; of an ingress /calls.\n",
};
const tooManyReaders: Reply = {
  status: 503,
  text: "Others are reading the requests already; retry later.\n",
};
const unauthorized: Reply = {
  status: 401,
  text: "This needs the operators' token.\n",
  headers: { "www-authenticate": 'Bearer realm="faceline-operators"' },
};
const json = "application/json; charset=utf-8";

const headerBytesMax = 8_192;
/** Time for a whole request. */
const requestMs = 5_000;
/** Longer than the usual interval of Prometheus, 15 s to a minute. */
const idleMs = 65_000;
const connectionsMax = 64;
/** Characters of the salt of /calls. */
const saltMax = 64;

/** Sources of the pages of the port. */
export type OperatorsSources = {
  /** The page for Prometheus. */
  page(format: PageFormat): Promise<string>;
  /** Content of /live.json, without the checks. */
  state(): Omit<LiveState, "checks">;
  /** Dependencies of this process, and whether each answered lately. */
  checks(): Record<string, boolean> | Promise<Record<string, boolean>>;
  /** Opens the lines of /calls of an ingress from now on; undefined where too many read them. */
  openCalls?(salt: string): Readable | undefined;
};

type OperatorsServerOptions = OperatorsSources & { host: string; port: number; token: string | undefined };
