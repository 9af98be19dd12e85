import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { Problem } from "@faceline/contracts/http/problem";
import type { RequestId } from "@faceline/contracts/http/response-fields";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError, retryAfterSeconds } from "../call/api-error.ts";

/** Sends the response of a failed call: the one place that knows its shape (RFC 9457) and its headers. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ApiError, site: string) {
  const { code, details, status } = error;
  if (request.callRecord !== undefined) request.callRecord.error = error;
  reply.errorCode = code;
  reply.missingDependency = details.dependency;
  if (details.allow !== undefined) reply.header("allow", details.allow.join(", "));
  if (status === 401) reply.header("www-authenticate", authenticateChallenge(error));
  if (status === 429 || status === 503) {
    reply.header("retry-after", retryAfterSeconds(details.retryAfterMs ?? 0));
  }
  // Fastify would close the connection for a body that is too large, and a client that still sends would then
  // fail before it reads the response. Without the header Node discards the rest of the body, for
  // `requestTimeout` at most.
  if (status === 413) reply.removeHeader("connection");
  const type = request.headers.accept?.includes("application/problem+json") ? "problem+json" : "json";
  return reply
    .code(errorTable[code].status)
    .header("x-request-id", request.id)
    .type(`application/${type}; charset=utf-8`)
    .send(problemFrom(error, request.id as RequestId, site));
}

/**
 * Returns the body of the response. `site` is where the reference of the errors is served; "" is relative.
 */
export function problemFrom(
  { code, message, details }: ApiError,
  requestId: RequestId,
  site: string,
): Problem {
  const { status, title } = errorTable[code];
  return {
    error: code,
    detail: message,
    request_id: requestId,
    status,
    title,
    type: `${site}/problems/${code}`,
    ...(details.field === undefined ? {} : { field: details.field }),
    ...(details.index === undefined ? {} : { index: details.index }),
    ...(details.dependency === undefined ? {} : { dependency: details.dependency }),
  };
}

/**
 * Returns the ApiError for anything that was thrown: itself, or our own words for an error of Fastify, whose
 * messages repeat parts of the request. Undefined: a bug of this service.
 */
export function apiErrorFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const { code = "", statusCode = 500 } = error as { code?: string; statusCode?: number };
  const known = fastifyErrors.get(code);
  if (known !== undefined) return new ApiError(...known);
  return statusCode < 500 ? new ApiError("invalid_request", "The request is not valid HTTP.") : undefined;
}

const fastifyErrors = new Map<string, [ErrorCode, string]>([
  ["FST_ERR_CTP_EMPTY_JSON_BODY", ["invalid_json", "The body is empty."]],
  ["FST_ERR_CTP_INVALID_JSON_BODY", ["invalid_json", "The body is not valid JSON."]],
  [
    "FST_ERR_CTP_INVALID_MEDIA_TYPE",
    [
      "unsupported_media_type",
      "The body must be JSON, multipart/form-data or application/x-www-form-urlencoded.",
    ],
  ],
]);

const authenticateChallenge = ({ code }: ApiError): string =>
  code === "invalid_api_key" ? 'Bearer realm="faceline", error="invalid_token"' : 'Bearer realm="faceline"';
