import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";
import { formBody } from "./form.ts";
import { type JsonLimits, JsonReader } from "./json.ts";
import { multipartFields } from "./multipart.ts";
import { urlencodedFields } from "./urlencoded.ts";

/**
 * What a body may be: JSON, also under `text/plain` and without a type, because scripts and old clients send it so; or
 * a form, with files under the names of the fields. However it came, the routes read the same object.
 */
export function readBodies(app: FastifyInstance, limits: JsonLimits): void {
  app.removeAllContentTypeParsers();
  const whole = { parseAs: "buffer" } as const;
  const read = (type: string | string[], reader: (bytes: Buffer, type: string) => unknown) =>
    app.addContentTypeParser(type, whole, async ({ headers }: FastifyRequest, bytes: Buffer) =>
      reader(bytes, headers["content-type"]!),
    );
  read(["application/json", "text/plain"], (bytes) => new JsonReader(limits).read(bytes));
  read("application/x-www-form-urlencoded", (bytes) => formBody(urlencodedFields(bytes, limits), limits));
  read("multipart/form-data", async (bytes, type) =>
    formBody(await multipartFields(bytes, type, limits), limits),
  );

  app.addHook("onRequest", async ({ headers }) => {
    // Fastify has no parser for "no type"; naming one here is the only door.
    if (!headers["content-type"]) headers["content-type"] = "application/json";
  });
  // Once the caller was let in, and before a byte is read.
  app.addHook("preParsing", async ({ method, headers }) => {
    if (method === "POST" && isCompressed(headers)) {
      throw new Refusal("unsupported_media_type", "The body must not be compressed.");
    }
  });
}

/** Also on the way: Node takes `Transfer-Encoding: gzip, chunked` for `chunked`, and what it reads then is gzip. */
function isCompressed(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": coding, "transfer-encoding": transfer } = headers;
  return (
    (coding || "identity").toLowerCase() !== "identity" || (transfer ?? "chunked").toLowerCase() !== "chunked"
  );
}
