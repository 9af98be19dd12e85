import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { CompareResponse, CompareRequest } from "@faceline/contracts/http/compare";
import { HealthResponse, LiveResponse } from "@faceline/contracts/http/health";
import {
  RepresentQuery,
  RepresentResponse,
  RepresentRequest,
  RepresentResult,
} from "@faceline/contracts/http/represent";
import { VerifyResponse, VerifyRequest } from "@faceline/contracts/http/verify";
import type * as z from "zod";
import { capabilities } from "./capabilities.ts";
import { compare } from "./compare.ts";
import type { ComputeEndpoint, ServiceEndpoint } from "./endpoint.ts";
import { compareExamples, representExamples, verifyExamples } from "./examples.ts";
import { health, livez, readyz } from "./health.ts";
import { serveOpenApi } from "./openapi.ts";
import { represent } from "./represent.ts";
import { verify } from "./verify.ts";

/**
 * Every endpoint, one row each: the server takes its routes from here, and the OpenAPI document its paths and
 * schemas. A new compute endpoint is a contract, a handler, a row and its examples.
 */
export const computeEndpoints: ComputeEndpoint[] = [
  row({
    path: "/verify",
    summary: "Do two images show the same person?",
    description:
      "If an image has several faces, the pair with the smallest distance counts, unless `face_policy` says otherwise.",
    imageFields: ["img1", "img2"],
    request: { VerifyRequest },
    reply: { VerifyResponse },
    needsWorker: false,
    examples: verifyExamples,
    handle: verify,
  }),
  row({
    path: "/represent",
    summary: "The faces of an image, each with its embedding",
    description: "The largest face comes first.",
    imageFields: ["img"],
    request: { RepresentRequest },
    reply: { RepresentResponse },
    query: {
      schema: RepresentQuery,
      descriptions: {
        format: "`array`: the bare array of results, which clients of the hosted API read.",
      },
    },
    arrayReplyOf: { RepresentResult },
    needsWorker: true,
    examples: representExamples,
    handle: represent,
  }),
  row({
    path: "/compare",
    summary: "Which of many is nearest to one?",
    description:
      "The source is `img` or `vector`. A candidate that fails has `error` and `detail` in place of a distance; the call fails only when all of them do. With only embeddings no model runs.",
    imageFields: ["img", "candidates"],
    request: { CompareRequest },
    reply: { CompareResponse },
    needsWorker: false,
    examples: compareExamples,
    handle: compare,
  }),
];

export const serviceEndpoints: ServiceEndpoint[] = [
  {
    path: "/capabilities",
    operationId: "capabilities",
    summary: "What is enabled, which of it live workers serve, and the limits",
    reply: { CapabilitiesResponse },
    handle: capabilities,
  },
  {
    path: "/health",
    operationId: "health",
    summary: "Could a call be served now?",
    reply: { HealthResponse },
    unavailable: "reply",
    handle: health,
  },
  {
    path: "/livez",
    operationId: "livez",
    summary: "The process responds: for restarts",
    reply: { LiveResponse },
    handle: livez,
  },
  {
    path: "/readyz",
    operationId: "readyz",
    summary: "It takes calls: for load balancers",
    reply: { LiveResponse },
    unavailable: "problem",
    handle: readyz,
  },
  { path: "/openapi.json", operationId: "openapi", summary: "This document", handle: serveOpenApi },
];

/** Lets the compiler check that a handler takes and returns what the schemas of its row say. */
function row<Request extends z.ZodType, Reply extends z.ZodType, Query extends z.ZodType>(
  endpoint: ComputeEndpoint<Request, Reply, Query> & {
    handle(...args: never[]): Promise<z.infer<Reply> | unknown[]>;
  },
): ComputeEndpoint {
  return endpoint;
}
