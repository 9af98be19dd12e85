import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { CompareResponse, CompareRequest } from "@faceline/contracts/http/compare";
import { HealthResponse, LiveResponse } from "@faceline/contracts/http/health";
import { RepresentQuery, RepresentResponse, RepresentRequest } from "@faceline/contracts/http/represent";
import { VerifyResponse, VerifyRequest } from "@faceline/contracts/http/verify";
import type * as z from "zod";
import { capabilities } from "./capabilities.ts";
import { compare } from "./compare.ts";
import type { ComputeEndpoint, ServiceEndpoint } from "./endpoint.ts";
import { health, livez, readyz } from "./health.ts";
import { serveOpenApi } from "./openapi.ts";
import { represent } from "./represent.ts";
import { verify } from "./verify.ts";

/**
 * Every endpoint, one row each: the server takes its routes from here, and the OpenAPI document its paths and
 * schemas. A new compute endpoint is a contract, a handler, a row and examples for the document.
 */
export const computeEndpoints: ComputeEndpoint[] = [
  row({
    path: "/verify",
    summary: "Compare two faces",
    description:
      "Tells whether two images show the same person. If an image has several faces, the closest pair counts, unless `face_policy` says otherwise.",
    imageFields: ["img1", "img2"],
    request: { VerifyRequest },
    response: { VerifyResponse },
    needsWorker: false,
    handle: verify,
  }),
  row({
    path: "/represent",
    summary: "Embed the faces in an image",
    description:
      "Returns the position, quality and embedding of each face, largest first. With `?format=array` the response is the bare array of `results`. If the body is the image itself, the other fields are query parameters: `?max_faces=1`.",
    imageFields: ["img"],
    request: { RepresentRequest },
    response: { RepresentResponse },
    query: RepresentQuery,
    needsWorker: true,
    handle: represent,
  }),
  row({
    path: "/compare",
    summary: "Compare one face with many",
    description:
      "Compares a source, either `img` or `vector`, with each candidate. A candidate that fails has `error` and `detail` in place of a distance; the request fails only if all candidates do. With embeddings alone, no model runs.",
    imageFields: ["img", "candidates"],
    request: { CompareRequest },
    response: { CompareResponse },
    needsWorker: false,
    handle: compare,
  }),
];

export const serviceEndpoints: ServiceEndpoint[] = [
  {
    path: "/capabilities",
    operationId: "capabilities",
    summary: "List models, detectors and limits",
    description:
      "Returns the enabled models and detectors, whether workers serve them, and the limits of requests.",
    response: { CapabilitiesResponse },
    handle: capabilities,
  },
  {
    path: "/health",
    operationId: "health",
    summary: "Check the health of the service",
    description:
      "Returns the state of each dependency and worker pool. 503 means that requests cannot be served now.",
    response: { HealthResponse },
    unavailable: "response",
    handle: health,
  },
  {
    path: "/livez",
    operationId: "livez",
    summary: "Liveness probe",
    description: "Succeeds while the process responds. Restart it if this fails.",
    response: { LiveResponse },
    handle: livez,
  },
  {
    path: "/readyz",
    operationId: "readyz",
    summary: "Readiness probe",
    description: "Succeeds while the process accepts requests. Load balancers should send traffic only then.",
    response: { LiveResponse },
    unavailable: "problem",
    handle: readyz,
  },
  {
    path: "/openapi.json",
    operationId: "openapi",
    summary: "Get this document",
    description: "Returns the OpenAPI 3.1 document of the API, for generators of clients.",
    handle: serveOpenApi,
  },
];

/** Lets the compiler check that a handler takes and returns what the schemas of its row say. */
function row<Request extends z.ZodType, Response extends z.ZodType, Query extends z.ZodType>(
  endpoint: ComputeEndpoint<Request, Response, Query> & {
    handle(...args: never[]): Promise<z.infer<Response> | unknown[]>;
  },
): ComputeEndpoint {
  return endpoint;
}
