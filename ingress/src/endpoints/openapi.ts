import { openApiText } from "@faceline/contracts/http/open-api";
import { type Content, compress, sendContent } from "@faceline/web/content";
import type { FastifyReply } from "fastify";
import type { RouteContext } from "./endpoint.ts";

/** GET /openapi.json */
export async function serveOpenApi(_context: RouteContext, reply: FastifyReply): Promise<FastifyReply> {
  content ??= compress("application/json; charset=utf-8", Buffer.from(openApiText));
  return sendContent(reply.request, reply, await content);
}

/** Compressed at the first request. */
let content: Promise<Content> | undefined;
