import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";

/**
 * Answers 404 or 405 for requests without a route, before their body is read. `sendMissingPage` answers a 404
 * for requests that want HTML.
 */
export function rejectUnknownRoutes(
  app: FastifyInstance,
  sendMissingPage: SendMissingPage | undefined,
): void {
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    const error = routeError(app, request);
    const isPage = error.code === "not_found" && request.method === "GET" && wantsHtml(request);
    if (!isPage || sendMissingPage === undefined) throw error;
    return sendMissingPage(request, reply);
  });
  // Never reached, but without a handler Fastify would register its own, whose response repeats the path.
  app.setNotFoundHandler((request) => {
    throw routeError(app, request);
  });
}

function routeError(app: FastifyInstance, request: FastifyRequest): ApiError {
  const path = request.url.split("?", 1)[0]!;
  const allow = methods.filter((method) => app.hasRoute({ method, url: path }));
  if (allow.length === 0) return new ApiError("not_found", nothingAt(app, path));
  // CORS answers the preflights of allowed origins before.
  const detail = isPreflight(request)
    ? "No web page of this origin may use the service: the operator lists those that may in CORS_ORIGINS."
    : `This path accepts ${allow.join(" and ")}.`;
  return new ApiError("method_not_allowed", detail, { allow });
}

/**
 * Names the path that was probably meant, if it is spelled differently or has a version before it, such as
 * /v1/verify/; or the guide for another service's path that has no counterpart.
 */
function nothingAt(app: FastifyInstance, path: string): string {
  const last = /\/([a-z]{1,32})\/*$/i.exec(path)?.[1]?.toLowerCase();
  const meant = last === undefined ? undefined : `/${last}`;
  const isOther = meant !== undefined && meant !== path && app.hasRoute({ method: "POST", url: meant });
  if (isOther) return `There is nothing at this path. Did you mean ${meant}?`;
  const [, service] = otherServices.find(([pattern]) => pattern.test(path)) ?? [];
  return service === undefined
    ? "There is nothing at this path."
    : `This path of ${service} is not offered: see /docs/coming-from-${service.toLowerCase()}.`;
}

const otherServices: readonly (readonly [RegExp, string])[] = [
  [/^\/(analyze|find|register|search)\/*$/, "DeepFace"],
  [/^\/api\/v1\/(detection|recognition|verification)\b/, "CompreFace"],
  [/^\/v1\/face\//, "LocalAI"],
];

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** Whether a browser asks for a page. Programs that accept anything, or a problem, get the API's error. */
export function wantsHtml({ headers: { accept = "" } }: FastifyRequest): boolean {
  return accept.includes("text/html") && !accept.includes("application/problem+json");
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

type SendMissingPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
