import { readFileSync } from "node:fs";
import type { FastifyReply } from "fastify";
import type { RouteContext } from "./endpoint.ts";

// Covered by ../../openapi/document.test.ts.

/** The document is committed, so that starting costs nothing and a change of the API shows in a diff. */
export const openApiFile = new URL("../../openapi.json", import.meta.url);

export const openApiText = readFileSync(openApiFile, "utf8");

/** GET /openapi.json */
export async function serveOpenApi(_context: RouteContext, reply: FastifyReply): Promise<string> {
  reply.type("application/json; charset=utf-8");
  return openApiText;
}
