import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";

/**
 * Lets web pages of the listed origins read responses (CORS). With an empty list, the default, no page may.
 */
export function addCors(app: FastifyInstance, { CORS_ORIGINS }: CorsSettings): void {
  if (CORS_ORIGINS.length === 0) return;

  app.addHook("onRequest", async (request, reply) => {
    reply.header("vary", "origin");
    const { origin } = request.headers;
    if (origin === undefined || !CORS_ORIGINS.includes(origin)) return;
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", exposedHeaders);

    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined)
      return;
    reply.header("access-control-allow-methods", "GET, POST");
    reply.header("access-control-allow-headers", allowedHeaders);
    reply.header("access-control-max-age", "600");
    return reply.code(204).send();
  });
}

const exposedHeaders =
  "x-request-id, api-version, server-timing, traceparent, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset";
const allowedHeaders =
  "authorization, content-type, x-api-key, x-request-id, x-request-timeout-ms, traceparent";

/**
 * Throws if a web page sent the request and its origin is not listed, or its content type is one that
 * browsers send across origins without a preflight. Needed with AUTH=off, when anybody who reaches the
 * service may use it: otherwise, any page that a user opens could do so through the user's browser.
 */
export function rejectUnlistedOrigin({ headers }: FastifyRequest, { CORS_ORIGINS }: CorsSettings): void {
  if (headers.origin === undefined) return;
  if (!CORS_ORIGINS.includes(headers.origin)) {
    throw new ApiError("invalid_request", "Pages from this origin may not call this service.", {
      field: "origin",
    });
  }
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) {
    throw new ApiError("unsupported_media_type", "Pages must send application/json.");
  }
}

export type CorsSettings = { CORS_ORIGINS: string[] };
