import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { assetPaths, liveAsset, livePageHeaders } from "../../live/assets.ts";
import { livePage, refreshSeconds } from "../../live/page.ts";
import type { LiveState } from "../../live/state.ts";
import type { PageFormat } from "../metrics/metrics.ts";
import { openReplyServer, type Reply, targetOf } from "../reply-server.ts";

/**
 * Serves what operators and orchestrators ask a process:
 *
 *     GET /livez       200: the process responds
 *     GET /readyz      200, or 503 where something that its work needs was not responsive lately
 *     GET /metrics     the page for Prometheus, as OpenMetrics if asked
 *     GET /live        what this process does now, as a page for people
 *     GET /live.json   the same as JSON
 *     GET /calls       of an ingress: its calls as JSON lines while it is read
 *
 * All but the first two need the token, if there is one.
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
  if (!paths.has(path)) return notFound;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 405, text: "Only GET and HEAD.\n", headers: { allow: "GET, HEAD" } };
  }
  if (path === "/livez") return { status: 200, text: "ok\n" };
  if (path === "/readyz") {
    const unresponsive = Object.entries(await checks()).filter(([, isResponsive]) => !isResponsive);
    if (unresponsive.length === 0) return { status: 200, text: "ok\n" };
    return { status: 503, text: `not ready: ${unresponsive.map(([name]) => name).join(", ")}\n` };
  }
  if (!mayRead(token, request, path)) return unauthorized(path);
  if (path === "/calls") return replyOfCalls(options, query, request);
  if (path === "/metrics") {
    const format = request.headers.accept?.includes("application/openmetrics-text") ? "openmetrics" : "text";
    return { status: 200, type: pageTypes[format], text: await page(format) };
  }
  const asset = assetPaths.find((each) => each === path);
  if (asset !== undefined) {
    const found = await liveAsset(asset);
    return found === undefined ? notFound : { status: 200, ...found };
  }
  const live: LiveState = { ...state(), checks: await checks() };
  if (path === "/live.json")
    return { status: 200, type: "application/json; charset=utf-8", text: JSON.stringify(live) };
  return {
    status: 200,
    type: "text/html; charset=utf-8",
    headers: { ...livePageHeaders, refresh: `${refreshSeconds}` },
    text: livePage(live, new Date().toISOString()),
  };
}

/** The calls from now on, for somebody who may read them. */
function replyOfCalls({ openCalls }: OperatorsServerOptions, query: string, request: IncomingMessage): Reply {
  if (openCalls === undefined) return notFound;
  const salt = new URLSearchParams(query).get("salt") ?? "";
  // Only a GET takes a reader's place.
  const stream = request.method === "GET" ? openCalls(salt.slice(0, saltMax)) : undefined;
  return stream === undefined ? tooManyReaders : { status: 200, type: "application/jsonl", stream };
}

const pageTypes: Record<PageFormat, string> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

const paths = new Set<string>(["/livez", "/readyz", "/metrics", "/live", "/live.json", "/calls"]).union(
  new Set(assetPaths),
);

/**
 * Whether a request may be answered. If there is a token, it must be sent. Without one, the port is on
 * loopback, where web pages in a browser reach it too, by a host name of their own, which is refused.
 */
function mayRead(token: string | undefined, { headers }: IncomingMessage, path: string): boolean {
  if (token === undefined) return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(headers.host ?? "");
  const [, scheme = "", credential = ""] = /^(\w+) +(\S+)$/.exec(headers.authorization ?? "") ?? [];
  const isBasic = scheme.toLowerCase() === "basic" && isForBrowsers(path);
  if (!isBasic && scheme.toLowerCase() !== "bearer") return false;
  const given = isBasic
    ? Buffer.from(credential, "base64")
        .toString()
        .replace(/^[^:]*:/, "")
    : credential;
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * Browsers send the token as the password of any user, once their reader has typed it in, and only to this
 * process. Requests of other pages may carry it too, so it opens only what has no side effects.
 */
const isForBrowsers = (path: string): boolean => path.startsWith("/live");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const notFound: Reply = {
  status: 404,
  text: "There are /livez, /readyz, /metrics and /live; of an ingress /calls.\n",
};
const tooManyReaders: Reply = {
  status: 503,
  text: "Others are reading the requests already; retry later.\n",
};
const unauthorized = (path: string): Reply => ({
  status: 401,
  text: `This needs the operators' token${isForBrowsers(path) ? ", as a password without a user name" : ""}.\n`,
  headers: {
    "www-authenticate": `${isForBrowsers(path) ? "Basic" : "Bearer"} realm="faceline-operators"`,
  },
});

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
  /** Opens the lines of /calls of an ingress from now on; undefined if too many read them. */
  openCalls?(salt: string): Readable | undefined;
};

type OperatorsServerOptions = OperatorsSources & { host: string; port: number; token: string | undefined };
