import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { Problem } from "@faceline/contracts/http/problem";
import type { RequestId } from "@faceline/contracts/http/reply-fields";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";

/** The one way in which a failure leaves: shape, headers and all. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, site: string) {
  const { code, about, status } = refusal;
  if (about.allow !== undefined) reply.header("allow", about.allow.join(", "));
  if (status === 401) reply.header("www-authenticate", challengeOf(refusal));
  if (status === 429 || status === 503)
    reply.header("retry-after", retryAfterSeconds(about.retryAfterMs ?? 0));
  // Fastify would close on a body that is too large, and what is still on its way would break the connection before the
  // caller has read why. Node drops the rest, for BODY_RECEIVE_MS at most.
  if (status === 413) reply.removeHeader("connection");
  const wanted = request.headers.accept?.includes("application/problem+json") ? "problem+json" : "json";
  return reply
    .code(errorTable[code].status)
    .header("x-request-id", request.id)
    .type(`application/${wanted}; charset=utf-8`)
    .send(problemOf(refusal, request.id as RequestId, site));
}

export function problemOf({ code, message, about }: Refusal, requestId: RequestId, site: string): Problem {
  const { status, title } = errorTable[code];
  return {
    error: code,
    detail: message,
    request_id: requestId,
    status,
    title,
    type: `${site}/problems/${code}`,
    ...(about.field === undefined ? {} : { field: about.field }),
    ...(about.index === undefined ? {} : { index: about.index }),
  };
}

/** What Fastify found wrong with a call, in our words: its own repeat parts of what was sent. Undefined: a bug of ours. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code = "", statusCode = 500 } = error as { code?: string; statusCode?: number };
  const known = fastifyRefusals.get(code);
  if (known !== undefined) return new Refusal(...known);
  return statusCode < 500 ? new Refusal("invalid_request", "The call is not valid HTTP.") : undefined;
}

const fastifyRefusals = new Map<string, [ErrorCode, string]>([
  ["FST_ERR_CTP_EMPTY_JSON_BODY", ["invalid_json", "The body is empty."]],
  ["FST_ERR_CTP_INVALID_JSON_BODY", ["invalid_json", "The body is not valid JSON."]],
  [
    "FST_ERR_CTP_INVALID_MEDIA_TYPE",
    [
      "unsupported_media_type",
      "The body must be JSON, multipart/form-data or application/x-www-form-urlencoded.",
    ],
  ],
  ["FST_ERR_CTP_BODY_TOO_LARGE", ["request_too_large", "The body is too large."]],
]);

/** Whole seconds, rounded up: whoever comes back after them does not come too early. */
const retryAfterSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const challengeOf = ({ code }: Refusal): string =>
  code === "invalid_api_key" ? 'Bearer realm="faceline", error="invalid_token"' : 'Bearer realm="faceline"';
