import { version } from "../version.ts";
import { type ComputePath, replyExamples, requestExamples } from "./examples.ts";
import { carrying, type HeaderName, headers, ofComputeCalls, parameters } from "./headers.ts";
import { computeStatuses, problemAt, problemResponses } from "./problems.ts";
import { formOf, type JsonSchema, refTo, schemas } from "./schemas.ts";

/** The OpenAPI 3.1 document, made from the schemas that bodies are parsed with and the table of errors. */
export function openApiDocument() {
  const parsed = schemas();
  return {
    openapi: "3.1.1",
    info: {
      title: "Faceline",
      version,
      description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "faces", description: "Calls that run models. They need a key." },
      { name: "service", description: "What the service offers and how it fares. Public." },
    ],
    paths: {
      "/verify": {
        post: compute("/verify", parsed, {
          summary: "Do two images show the same person?",
          description:
            "With several faces the pair of least distance counts, unless `face_policy` says otherwise.",
          schema: "Verify",
        }),
      },
      "/represent": {
        post: compute("/represent", parsed, {
          summary: "The faces of an image, each with its embedding",
          description: "The largest face comes first.",
          schema: "Represent",
        }),
      },
      "/compare": {
        post: compute("/compare", parsed, {
          summary: "Which of many is nearest to one?",
          description:
            "The source is `img` or `vector`. A candidate that fails has `error` and `detail` in place of a distance; the call fails only when all of them do. With only vectors no model runs.",
          schema: "Compare",
        }),
      },
      "/capabilities": {
        get: open("capabilities", "What is enabled, what of it is alive, and the limits", {
          200: answer(refTo("CapabilitiesReply")),
        }),
      },
      "/health": {
        get: open("health", "Could a call be served now?", {
          200: answer(refTo("HealthReply")),
          503: answer(refTo("HealthReply"), "Retry-After"),
        }),
      },
      "/livez": {
        get: open("livez", "The process turns: for restarts", { 200: answer(refTo("LiveReply")) }),
      },
      "/readyz": {
        get: open("readyz", "It takes calls: for load balancers", {
          200: answer(refTo("LiveReply")),
          503: problemAt(503),
        }),
      },
      "/openapi.json": { get: open("openapi", "This document", { 200: answer({ type: "object" }) }) },
    },
    components: {
      schemas: parsed,
      parameters,
      headers,
      responses: problemResponses(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer KEY`" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
}

const description = `Face verification, embeddings and comparison.

Images come as Base64 or data URLs, or as files of a form: JPEG, PNG or WebP, EXIF orientation applied. Nothing is fetched on a caller's word, and nothing is stored.

\`null\` means absent, unknown fields are ignored, and booleans may be words ("false" is false). In a form texts are numbers where the field is one, and JSON where they begin like a list or an object.

Every failure has one shape, with a stable code in \`error\`; \`application/problem+json\` when Accept names it. A path that does not exist is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

What stands here are the defaults: /capabilities tells what this service enables and allows. The pictures of the examples are plain squares, in which no face is found.`;

const anyProblem = {
  description: "Any other failure.",
  headers: carrying("x-request-id"),
  content: { "application/json": { schema: refTo("Problem") } },
};

function compute(path: ComputePath, parsed: Record<string, JsonSchema>, said: Said) {
  const { summary, description, schema } = said;
  const examples = requestExamples[path];
  const form = formOf(parsed[`${schema}Request`]!);
  const bare = { type: "array", items: refTo("RepresentResult") };
  const whole = refTo(`${schema}Reply`);
  const format = {
    name: "format",
    in: "query",
    description: "`array`: the bare array of results, which clients of the hosted API read.",
    schema: { type: "string", enum: ["object", "array"], default: "object" },
  };
  return {
    operationId: path.slice(1),
    tags: ["faces"],
    summary,
    description,
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [
      ...Object.keys(parameters).map((name) => refTo(name, "parameters")),
      ...(path === "/represent" ? [format] : []),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: refTo(`${schema}Request`), examples: examples["application/json"] },
        "multipart/form-data": { schema: form, examples: examples["multipart/form-data"] },
        "application/x-www-form-urlencoded": {
          schema: refTo(`${schema}Request`),
          examples: examples["application/x-www-form-urlencoded"],
        },
      },
    },
    responses: {
      200: {
        description: "The answer.",
        headers: carrying(...ofComputeCalls, "Idempotency-Replayed"),
        content: {
          "application/json": {
            schema: path === "/represent" ? { anyOf: [whole, bare] } : whole,
            examples: replyExamples[path],
          },
        },
      },
      ...Object.fromEntries(computeStatuses.map((status) => [status, problemAt(status)])),
    },
  };
}

const open = (operationId: string, summary: string, responses: object) => ({
  operationId,
  tags: ["service"],
  summary,
  parameters: [refTo("RequestId", "parameters")],
  responses: { ...responses, default: anyProblem },
});

const answer = (schema: object, ...more: HeaderName[]) => ({
  description: "The answer.",
  headers: carrying("x-request-id", ...more),
  content: { "application/json": { schema } },
});

type Said = { summary: string; description: string; schema: "Verify" | "Represent" | "Compare" };
