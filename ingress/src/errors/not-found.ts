import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";

// Covered by ../server.test.ts.

/** Answers 404 or 405 for requests without a route, before their body is read. */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  app.addHook("onRequest", async (request) => {
    if (request.is404) throw routeError(app, request);
  });
  // Never reached, but without a handler Fastify would register its own, whose reply repeats the path.
  app.setNotFoundHandler((request) => {
    throw routeError(app, request);
  });
}

function routeError(app: FastifyInstance, request: FastifyRequest): ApiError {
  const path = request.url.split("?", 1)[0]!;
  const allow = methods.filter((method) => app.hasRoute({ method, url: path }));
  if (allow.length === 0) return new ApiError("not_found", "There is nothing at this path.");
  return new ApiError("method_not_allowed", `This path takes ${allow.join(" and ")}.`, { allow });
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
