import type { FastifyInstance } from "fastify";
import type { HttpSettings } from "../settings.ts";

/** Pages of the listed origins may read answers. Where the list is empty, which is the default, none may. */
export function allowOrigins(app: FastifyInstance, { CORS_ORIGINS }: HttpSettings): void {
  if (CORS_ORIGINS.length === 0) return;

  app.addHook("onRequest", async (request, reply) => {
    reply.header("vary", "origin");
    const { origin } = request.headers;
    if (origin === undefined || !CORS_ORIGINS.includes(origin)) return;
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", exposed);

    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined)
      return;
    reply.header("access-control-allow-methods", "GET, POST");
    reply.header("access-control-allow-headers", allowed);
    reply.header("access-control-max-age", "600");
    return reply.code(204).send();
  });
}

const exposed =
  "x-request-id, server-timing, traceparent, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotency-replayed";
const allowed =
  "authorization, content-type, x-api-key, x-request-id, x-request-timeout-ms, idempotency-key, traceparent";
