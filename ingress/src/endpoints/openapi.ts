import { openApiText } from "@faceline/contracts/http/open-api";
import type { FastifyReply } from "fastify";
import type { RouteContext } from "./endpoint.ts";

/** GET /openapi.json */
export async function serveOpenApi(_context: RouteContext, reply: FastifyReply): Promise<string> {
  reply.type("application/json; charset=utf-8");
  return openApiText;
}
