import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { bodyFromForm, type FormEntry, formFieldsMax, tooManyFieldsError } from "./form.ts";
import { JsonParser } from "./json.ts";
import type { BodyLimits } from "./json-limits.ts";
import { multipartFields } from "./multipart.ts";
import { TurnBudget } from "./turn-budget.ts";

/**
 * Registers the content types of request bodies: JSON, also as `text/plain` and without a type, because
 * scripts and old clients send it so; and forms, with files under the names of the fields. Endpoints read the
 * same object from either.
 */
export function addBodyParsers(app: FastifyInstance, limits: BodyLimits): void {
  app.removeAllContentTypeParsers();
  const turns = new TurnBudget(bytesPerTurnMax);
  const addParser = (types: string | string[], parse: (bytes: Buffer, contentType: string) => unknown) =>
    app.addContentTypeParser(types, whole, async ({ headers }: FastifyRequest, bytes: Buffer) => {
      await turns.enter(bytes.length);
      return parse(bytes, headers["content-type"]!);
    });
  addParser(["application/json", "text/plain"], (bytes) => new JsonParser(limits).parse(bytes));
  addParser("application/x-www-form-urlencoded", (bytes) =>
    bodyFromForm(urlencodedFields(bytes, limits), limits),
  );
  addParser("multipart/form-data", async (bytes, contentType) =>
    bodyFromForm(await multipartFields(bytes, contentType, limits), limits),
  );

  app.addHook("onRequest", async ({ headers }) => {
    // Fastify cannot register a parser for a missing content type, so a missing one is named here.
    if (!headers["content-type"]) headers["content-type"] = "application/json";
  });
  // After authentication, and before the body is read.
  app.addHook("preParsing", async ({ method, headers }) => {
    if (method === "POST" && isCompressed(headers)) {
      throw new ApiError("unsupported_media_type", "The body must not be compressed.");
    }
  });
}

/** Registers JSON alone, within limits of its own, for the routes of a scope. */
export function addJsonParser(scope: FastifyInstance, limits: BodyLimits): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", whole, async (_request: FastifyRequest, bytes: Buffer) =>
    new JsonParser(limits).parse(bytes),
  );
}

const whole = { parseAs: "buffer" } as const;

/** Parsing them and storing their images takes some 30 ms. */
const bytesPerTurnMax = 4 * 2 ** 20;

/**
 * Covers Transfer-Encoding too: Node reads `gzip, chunked` as `chunked`, and would pass on compressed bytes.
 */
function isCompressed(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": coding, "transfer-encoding": transfer } = headers;
  return (
    (coding || "identity").toLowerCase() !== "identity" || (transfer ?? "chunked").toLowerCase() !== "chunked"
  );
}

/** Counts the fields before it parses them, because a field may be as short as two bytes. */
function urlencodedFields(bytes: Buffer, limits: BodyLimits): FormEntry[] {
  const text = bytes.toString("utf8");
  const max = formFieldsMax(limits);
  let fields = 1;
  for (let at = text.indexOf("&"); at !== -1 && fields <= max; at = text.indexOf("&", at + 1)) fields++;
  if (fields > max) throw tooManyFieldsError(firstNames(text, max), limits);
  return [...new URLSearchParams(text)];
}

const firstNames = (text: string, max: number): string[] =>
  text.split("&", max).map((field) => field.split("=", 1)[0]!);
