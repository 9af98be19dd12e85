import { Dependency } from "@faceline/contracts/http/dependency";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import { isSampled } from "@faceline/runtime/tracing/trace-context";
import type { FastifyInstance } from "fastify";
import { ingressShedReasons } from "./call/api-error.ts";
import { closedConnections } from "./call/closed-connection.ts";
import { onClose, schemeOf } from "./call/context.ts";
import type { CallSlot } from "./call/ports.ts";
import { computeEndpoints } from "./endpoints/table.ts";
import { countOpen } from "./open-sockets.ts";

/**
 * Records every request: each that has a route, and all others together; and the tasks that this process
 * itself sheds, by the lanes that it serves.
 */
export function addRequestMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  { lanes, connectionsMax }: { lanes: ReadonlySet<string>; connectionsMax: number },
): void {
  if (!metrics.on) return;
  for (const lane of [...lanes, laneUnknown]) {
    for (const reason of ingressShedReasons) metrics.add("faceline.tasks.shed", 0, { lane, reason });
  }
  for (const { path } of computeEndpoints) {
    for (const outcome of serviceFaults) {
      const names = outcome === "dependency_unavailable" ? Dependency.options : ["none"];
      for (const dependency of names)
        metrics.add("faceline.requests", 0, { "http.route": path, outcome, dependency });
    }
  }
  observeConnections(app, metrics, connectionsMax);
  /** Counts by method and scheme; both come from short lists. */
  const active = new Map<string, ActiveRequests>();
  metrics.observe("http.server.active_requests", () =>
    active.values().map(({ count, ...attributes }) => [count, attributes]),
  );
  app.addHook("onRequest", async (request, reply) => {
    const method = methods.has(request.method) ? request.method : "_OTHER";
    const scheme = schemeOf(request);
    const key = `${scheme} ${method}`;
    const attributes = { "http.request.method": method, "url.scheme": scheme };
    const alike = active.get(key) ?? { ...attributes, count: 0 };
    active.set(key, alike);
    alike.count++;
    onClose(reply, () => {
      alike.count--;
      const isSent = reply.raw.writableFinished;
      const route = request.is404 ? "other" : (request.routeOptions.url ?? "other");
      const status = isSent ? reply.statusCode : clientLeftStatus;
      const outcome = isSent ? (reply.errorCode ?? "ok") : "client_left";
      const dependency = (isSent && reply.missingDependency) || "none";
      const ofRequest = {
        ...attributes,
        "http.route": route,
        "http.response.status_code": status,
        ...(status >= 500 ? { "error.type": reply.errorCode ?? `${status}` } : {}),
      };
      const { context } = request.callRecord?.trace ?? {};
      const span = context !== undefined && isSampled(context) ? context : undefined;
      metrics.record("http.server.request.duration", reply.elapsedTime / 1_000, ofRequest, span);
      metrics.add("faceline.requests", 1, { "http.route": route, outcome, dependency });
      const { error, images, lane = laneUnknown } = request.callRecord ?? {};
      const reason = error?.details.shed;
      if (reason === undefined) return;
      metrics.add("faceline.tasks.shed", images || 1, { lane, reason });
    });
  });
}

function observeConnections({ server }: FastifyInstance, metrics: Metrics, connectionsMax: number): void {
  const open = countOpen(server);
  metrics.observe("faceline.connections.used", () => [[open.connections(), {}]]);
  for (const reason of closedConnections) metrics.add("faceline.connections.closed", 0, { reason });
  metrics.observe("faceline.connections.max", () => [[connectionsMax, {}]]);
}

/** Counts calls by the class of their callers, and whether a limit refused them; never which caller. */
export function countCallers<Caller extends unknown[]>(
  acquire: (...caller: Caller) => Promise<CallSlot>,
  metrics: Metrics,
  callers: "team" | "anonymous" | "visitor",
): (...caller: Caller) => Promise<CallSlot> {
  if (!metrics.on) return acquire;
  for (const limit of ["reached", "kept"])
    metrics.add("faceline.team.requests", 0, { class: callers, limit });
  return async (...caller) => {
    const slot = await acquire(...caller);
    const limit = slot.error?.code === "rate_limited" ? "reached" : "kept";
    metrics.add("faceline.team.requests", 1, { class: callers, limit });
    return slot;
  };
}

/** Outcomes that count against the service: their counters exist from the start. */
const serviceFaults = (Object.keys(errorTable) as ErrorCode[]).filter(
  (code) => errorTable[code].status >= 500,
);

/** The lane of a call whose body was not read. */
const laneUnknown = "unknown";

/** Methods that are recorded by name; clients may send anything else. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

type ActiveRequests = { "http.request.method": string; "url.scheme": string; count: number };

/** Status that proxies log if the client left before the response was complete. */
const clientLeftStatus = 499;
