import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";

/** Refuses what there is no route for, before the body is read: whatever it holds, the answer is 404 or 405. */
export function refuseStrangers(app: FastifyInstance): void {
  app.addHook("onRequest", async (request) => {
    if (request.is404) throw stranger(app, request);
  });
  // Not reached, but without it Fastify would describe the path in its own words.
  app.setNotFoundHandler((request) => {
    throw stranger(app, request);
  });
}

function stranger(app: FastifyInstance, request: FastifyRequest): Refusal {
  const path = request.url.split("?", 1)[0]!;
  const allow = methods.filter((method) => app.hasRoute({ method, url: path }));
  if (allow.length === 0) return new Refusal("not_found", "There is nothing at this path.");
  return new Refusal("method_not_allowed", `This path takes ${allow.join(" and ")}.`, { allow });
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
