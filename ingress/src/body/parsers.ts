import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { SlabPool } from "../memory/slab-pool.ts";
import { bodyKind, notJson } from "./body-kind.ts";
import { type CollectedBody, collectBody } from "./collect.ts";
import { bodyFromForm, type FormEntry, formFieldsMax, tooManyFieldsError, withPlusSigns } from "./form.ts";
import { JsonParser, type ParsedBody } from "./json.ts";
import type { BodyLimits } from "./json-limits.ts";
import { multipartFields } from "./multipart.ts";
import { TurnBudget } from "./turn-budget.ts";

/**
 * Registers the content types of request bodies: JSON and forms, with files under the names of the fields.
 * Endpoints read the same object from either. JSON and an image itself are known by their first bytes,
 * because scripts send them under any type; an image is its bytes, and `fieldsOf` makes an object of it.
 */
export function addBodyParsers(app: FastifyInstance, limits: BodyLimits, pool: SlabPool): void {
  app.removeAllContentTypeParsers();
  const turns = new TurnBudget(bytesPerTurnMax);
  const addParser = (types: string | string[] | RegExp, parse: Parse) =>
    app.addContentTypeParser(types, bodyParser(pool, parse, turns));
  const parseJson = jsonParser(limits, pool);
  addParser(["application/json", "text/plain"], parseJson);
  addParser("application/x-www-form-urlencoded", (collected, contentType) => {
    const kind = bodyKind(collected.bytes);
    if (kind === "json" || kind === "image") return parseJson(collected, contentType);
    if (kind === "multipart") throw new ApiError("invalid_request", `The body ${notJson.multipart}.`);
    return { body: bodyFromForm(urlencodedFields(collected.bytes, limits), limits) };
  });
  addParser("multipart/form-data", async (collected, contentType) => {
    const { bytes, slab } = collected;
    const kind = bodyKind(bytes);
    if (kind === "json" || kind === "image") return parseJson(collected, contentType);
    if (kind === "form") throw new ApiError("invalid_request", `The body ${notJson.form}.`);
    const body = bodyFromForm(await multipartFields(bytes, contentType, limits), limits);
    slab?.hold();
    return { body, slab };
  });
  addParser(/^image\//, rawImage);
  addParser(/^(application\/octet-stream|text\/json|application\/[\w.-]+\+json)\b/, parseJson);

  app.addHook("onRequest", async ({ headers }) => {
    // Fastify cannot register a parser for a missing content type, so a missing one is named here.
    if (!headers["content-type"]) headers["content-type"] = "application/json";
  });
  // After authentication, and before the body is read.
  app.addHook("preParsing", async ({ method, headers }) => {
    if (method === "POST" && isCompressed(headers)) {
      throw new ApiError("unsupported_media_type", "The body is compressed: send it as it is.");
    }
  });
}

/** Registers only JSON, within limits of its own, for the routes of a scope. */
export function addJsonParser(scope: FastifyInstance, limits: BodyLimits, pool: SlabPool): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", bodyParser(pool, jsonParser(limits, pool)));
}

const jsonParser =
  (limits: BodyLimits, pool: SlabPool): Parse =>
  (collected) =>
    bodyKind(collected.bytes) === "image"
      ? rawImage(collected)
      : new JsonParser(limits).parseBody(collected.bytes, pool);

function rawImage({ bytes, slab }: CollectedBody): ParsedBody {
  slab?.hold();
  return { body: bytes, slab };
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

/** Parsing them and storing their images takes about 30 ms. */
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
  return Array.from(new URLSearchParams(text), ([name, value]) => [name, withPlusSigns(name, value)]);
}

const firstNames = (text: string, max: number): string[] =>
  text.split("&", max).map((field) => field.split("=", 1)[0]!);
