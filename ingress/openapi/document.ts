import { imageFormatNames } from "@faceline/images/format";
import { apiVersion } from "@faceline/contracts/http/response-fields";
import { version } from "@faceline/runtime/resource";
import type { ComputeEndpoint, ServiceEndpoint } from "../src/endpoints/endpoint.ts";
import { computeEndpoints, serviceEndpoints } from "../src/endpoints/table.ts";
import { examples } from "./examples.ts";
import { computeResponseHeaders, type HeaderName, headerRefs, headers, parameters } from "./headers.ts";
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
      contact: { name: "The operator of this service" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "/", description: "The service that serves this document." },
      { url: "http://127.0.0.1:8080", description: "A service on your machine, started with `npm start`." },
    ],
    tags: [
      { name: "faces", description: "Requests that run models. They need an API key." },
      { name: "service", description: "Features and health of the service. No API key is needed." },
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

Send images (${imageFormatNames}) as Base64 or data URLs in JSON, or as files in a form. Their EXIF orientation is applied. The service does not open URLs or paths, and it discards images when the request ends.

This document shows one form of each request. The service also accepts \`null\` for an absent field, words for booleans ("false"), and URL-encoded forms. In forms, it also accepts Base64, data URLs and JSON text in place of files. Unknown fields are ignored, but a likely mistake, such as \`threshhold\` for \`threshold\`, is rejected with 400 \`invalid_request\`.

This is version ${apiVersion} of the API, which every response names in \`API-Version\`. Within a version, paths, fields and error codes keep their names and meanings. Later releases may add others, so ignore those that you do not know.

All errors have the same fields, with a stable code in \`error\`. To receive them as \`application/problem+json\`, name it in \`Accept\`. Unknown paths return 404 \`not_found\`; unsupported methods return 405 \`method_not_allowed\`.

Limits in this document are defaults. See /capabilities for the limits, models and detectors of this service. The example images are plain squares without a face.`;

function computeOperation(endpoint: ComputeEndpoint) {
  const { path, summary, description } = endpoint;
  const { requests, responses } = examples[path]!;
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
          { schema: bodies[type], examples: requests[type] },
        ]),
      ),
    },
    responses: {
      200: {
        description: "The result.",
        headers: headerRefs(...computeResponseHeaders),
        content: {
          "application/json": { schema: refTo(nameOf(endpoint.response)), examples: responses },
        },
      },
      ...Object.fromEntries(computeStatuses.map((status) => [status, problemAt(status)])),
    },
  };
}

function serviceOperation({
  operationId,
  summary,
  description,
  response: body,
  unavailable,
}: ServiceEndpoint) {
  const schema = body === undefined ? { type: "object" } : refTo(nameOf(body));
  return {
    operationId,
    tags: ["service"],
    summary,
    description,
    security: [],
    parameters: [refTo("RequestId", "parameters")],
    responses: {
      200: response(schema),
      400: refTo("MalformedRequest", "responses"),
      ...(unavailable === "response" ? { 503: response(schema, "Retry-After") } : {}),
      ...(unavailable === "problem" ? { 503: problemAt(503) } : {}),
      default: anyProblem,
    },
  };
}

const response = (schema: object, ...more: HeaderName[]) => ({
  description: "The result.",
  headers: headerRefs(...more),
  content: { "application/json": { schema } },
});

const anyProblem = {
  description: "Any other error.",
  headers: headerRefs(),
  content: { "application/json": { schema: refTo("Problem") } },
};

/** The name of the one schema of `request` or `response`. */
const nameOf = (schema: Record<string, unknown>): string => Object.keys(schema)[0]!;
