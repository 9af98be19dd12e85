import type { Metrics } from "@faceline/contracts/runtime/metrics/metrics";
import type { FastifyInstance } from "fastify";
import { onClose } from "./call/context.ts";
import type { Ports } from "./call/ports.ts";

/** Records every request that has a route, and those that have none together. */
export function addRequestMetrics(app: FastifyInstance, metrics: Metrics): void {
  if (!metrics.on) return;
  let active = 0;
  metrics.observe("http.server.active_requests", () => [[active, {}]]);
  app.addHook("onRequest", async (request, reply) => {
    active++;
    onClose(reply, () => {
      active--;
      const isSent = reply.raw.writableFinished;
      const route = request.is404 ? "other" : (request.routeOptions.url ?? "other");
      metrics.record("http.server.request.duration", reply.elapsedTime / 1_000, {
        "http.request.method": methods.has(request.method) ? request.method : "_OTHER",
        "http.route": route,
        "http.response.status_code": isSent ? reply.statusCode : clientLeftStatus,
      });
      const outcome = isSent ? (reply.errorCode ?? "ok") : "client_left";
      metrics.add("faceline.requests", 1, { "http.route": route, outcome });
    });
  });
}

/** Counts the calls of teams by class, and whether a limit of the team refused them; never which team. */
export function countTeamRequests(
  acquire: Ports["acquireTeamSlot"],
  metrics: Metrics,
  auth: "on" | "off",
): Ports["acquireTeamSlot"] {
  if (!metrics.on) return acquire;
  const teamClass = auth === "on" ? "team" : "anonymous";
  for (const limit of ["reached", "kept"])
    metrics.add("faceline.team.requests", 0, { class: teamClass, limit });
  return async (team, limits) => {
    const slot = await acquire(team, limits);
    const limit = slot.error === undefined ? "kept" : "reached";
    metrics.add("faceline.team.requests", 1, { class: teamClass, limit });
    return slot;
  };
}

/** Anything else that a client may send. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** As proxies log it: the client left before the response was complete. */
const clientLeftStatus = 499;
