import type { FastifyInstance } from "fastify";

/**
 * JSON is the one kind of body. It is also taken under `text/plain` and without a type: scripts and old clients send it
 * so. Keys that would reach a prototype (`__proto__`, `constructor.prototype`) make the body invalid.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(["application/json", "text/plain"], { parseAs: "string" }, parseJson);

  app.addHook("onRequest", async (request) => {
    // Fastify has no parser for "no type"; naming one here is the only door.
    if (!request.headers["content-type"]) request.headers["content-type"] = "application/json";
  });
}
