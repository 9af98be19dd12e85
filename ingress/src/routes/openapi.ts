import type { FastifyReply, FastifyRequest } from "fastify";
import { readSnapshot } from "../openapi/snapshot.ts";

const document = readSnapshot();

/** GET /openapi.json */
export async function serveOpenApi(_request: FastifyRequest, reply: FastifyReply): Promise<string> {
  reply.type("application/json; charset=utf-8");
  return document;
}
