import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { SlabPool } from "../memory/slab-pool.ts";
import { type CollectedBody, collectBody } from "./collect.ts";
import { bodyFromForm, type FormEntry, formFieldsMax, tooManyFieldsError } from "./form.ts";
import { JsonParser, type ParsedBody } from "./json.ts";
import type { BodyLimits } from "./json-limits.ts";
import { multipartFields } from "./multipart.ts";
import { TurnBudget } from "./turn-budget.ts";

/**
 * Registers the content types of request bodies: JSON, also as `text/plain` and without a type, because
 * scripts and old clients send it so; and forms, with files under the names of the fields. Endpoints read the
 * same object from either.
 */
export function addBodyParsers(app: FastifyInstance, limits: BodyLimits, pool: SlabPool): void {
  app.removeAllContentTypeParsers();
  const turns = new TurnBudget(bytesPerTurnMax);
  const addParser = (types: string | string[], parse: Parse) =>
    app.addContentTypeParser(types, bodyParser(pool, parse, turns));
  addParser(["application/json", "text/plain"], ({ bytes }) => new JsonParser(limits).parseBody(bytes, pool));
  addParser("application/x-www-form-urlencoded", ({ bytes }) => ({
    body: bodyFromForm(urlencodedFields(bytes, limits), limits),
  }));
  addParser("multipart/form-data", async ({ bytes, slab }, contentType) => {
    const body = bodyFromForm(await multipartFields(bytes, contentType, limits), limits);
    slab?.hold();
    return { body, slab };
  });

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
export function addJsonParser(scope: FastifyInstance, limits: BodyLimits, pool: SlabPool): void {
  scope.removeAllContentTypeParsers();
  const parse: Parse = ({ bytes }) => new JsonParser(limits).parseBody(bytes, pool);
  scope.addContentTypeParser("application/json", bodyParser(pool, parse));
}

/** Returns a parser for Fastify that reads the whole body, waits for its turn, and parses it. */
const bodyParser =
  (pool: SlabPool, parse: Parse, turns?: TurnBudget) =>
  async ({ headers, routeOptions, requestContext }: FastifyRequest, payload: Readable): Promise<unknown> => {
    const contentLength = Number(headers["content-length"] ?? Number.NaN);
    const bytesMax = routeOptions.bodyLimit;
    const collected = await collectBody(payload, { contentLength, bytesMax, pool });
    try {
      await turns?.enter(collected.bytes.length);
      const { body, slab } = await parse(collected, headers["content-type"]!);
      if (slab !== undefined) requestContext!.memory.keep(slab);
      return body;
    } finally {
      collected.slab?.release();
    }
  };

type Parse = (collected: CollectedBody, contentType: string) => ParsedBody | Promise<ParsedBody>;

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
