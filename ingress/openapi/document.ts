import { imageFormatNames } from "@faceline/contracts/image/format";
import { version } from "@faceline/runtime/resource";
import type { ComputeEndpoint, ServiceEndpoint } from "../src/endpoints/endpoint.ts";
import { computeEndpoints, serviceEndpoints } from "../src/endpoints/table.ts";
import { computeReplyHeaders, type HeaderName, headerRefs, headers, parameters } from "./headers.ts";
import { computeStatuses, problemAt, problemResponses } from "./problems.ts";
import { formName, refTo, schemas } from "./schemas.ts";

/**
 * Returns the OpenAPI 3.1 document, made from the table of endpoints, the schemas that bodies are parsed with
 * and the table of errors.
 */
export function openApiDocument(): object {
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
      { name: "service", description: "What the service offers, and its health. No key is needed." },
    ],
    paths: Object.fromEntries([
      ...computeEndpoints.map((endpoint) => [endpoint.path, { post: computeOperation(endpoint) }]),
      ...serviceEndpoints.map((endpoint) => [endpoint.path, { get: serviceOperation(endpoint) }]),
    ]),
    components: {
      schemas: schemas(),
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

/** Returns the document as text. Lists of numbers stand on one line: a vector would fill a page. */
export const formatDocument = (document: object): string =>
  `${JSON.stringify(document, null, 2).replace(/\[\s+(-?[\d.]+(,\s+-?[\d.]+)*)\s+\]/g, (list) => list.replace(/\s+/g, " "))}\n`;

const description = `Face verification, embeddings and comparison.

Images come as Base64 or data URLs, or as files of a form: ${imageFormatNames}, EXIF orientation applied. The service opens no URL and no path, and keeps no image when the call has ended.

\`null\` means absent, and booleans may be words ("false" is false). In a form, a text is read as a number where the field is one, and as JSON where it begins like a list or an object. Unknown fields are ignored, but for one that is nearly a field that was not sent, such as \`model\` in place of \`model_name\`: it is 400 \`invalid_request\`.

Every error reply has the same fields, with a stable code in \`error\`; \`application/problem+json\` if \`Accept\` names it. A path that does not exist is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

This document has the default limits; /capabilities has those of this service, and what it enables. The images of the examples are plain squares, in which no face is found.`;

function computeOperation(endpoint: ComputeEndpoint) {
  const { path, summary, description, examples } = endpoint;
  const requestName = nameOf(endpoint.request);
  const bodies = {
    "application/json": refTo(requestName),
    "multipart/form-data": refTo(formName(requestName)),
  } as const;
  return {
    operationId: path.slice(1),
    tags: ["faces"],
    summary,
    description,
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: Object.keys(parameters).map((name) => refTo(name, "parameters")),
    requestBody: {
      required: true,
      content: Object.fromEntries(
        (["application/json", "multipart/form-data"] as const).map((type) => [
          type,
          { schema: bodies[type], examples: examples.requests[type] },
        ]),
      ),
    },
    responses: {
      200: {
        description: "The answer.",
        headers: headerRefs(...computeReplyHeaders, "Idempotency-Replayed"),
        content: {
          "application/json": { schema: refTo(nameOf(endpoint.reply)), examples: examples.replies },
        },
      },
      ...Object.fromEntries(computeStatuses.map((status) => [status, problemAt(status)])),
    },
  };
}

function serviceOperation({ operationId, summary, reply, unavailable }: ServiceEndpoint) {
  const schema = reply === undefined ? { type: "object" } : refTo(nameOf(reply));
  return {
    operationId,
    tags: ["service"],
    summary,
    parameters: [refTo("RequestId", "parameters")],
    responses: {
      200: response(schema),
      ...(unavailable === "reply" ? { 503: response(schema, "Retry-After") } : {}),
      ...(unavailable === "problem" ? { 503: problemAt(503) } : {}),
      default: anyProblem,
    },
  };
}

const response = (schema: object, ...more: HeaderName[]) => ({
  description: "The answer.",
  headers: headerRefs("x-request-id", ...more),
  content: { "application/json": { schema } },
});

const anyProblem = {
  description: "Any other failure.",
  headers: headerRefs("x-request-id"),
  content: { "application/json": { schema: refTo("Problem") } },
};

/** The name of the one schema of `request` or `reply`. */
const nameOf = (schema: Record<string, unknown>): string => Object.keys(schema)[0]!;
