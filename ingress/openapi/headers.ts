import { apiVersion } from "@faceline/contracts/http/response-fields";
import { refTo } from "./schemas.ts";

const text = { type: "string" };
const seconds = { type: "integer", minimum: 1 };
const count = { type: "integer", minimum: 0 };

/** The headers that a request may have, as `components/parameters`. */
export const parameters = {
  RequestId: {
    name: "x-request-id",
    in: "header",
    description:
      "Your own ID for the request, which the response repeats: 1 to 128 letters, digits and `._:-`. Otherwise, the service generates a UUIDv7. IDs need not be unique.",
    // Without a pattern, because no value is refused.
    schema: text,
  },
  RequestTimeoutMs: {
    name: "x-request-timeout-ms",
    in: "header",
    description:
      "Deadline of the request, in milliseconds. See `limits` in /capabilities for the bounds and the default.",
    // Without a default: generated clients would send it, whatever the operator's own is.
    schema: { type: "integer", minimum: 50, maximum: 120_000 },
  },
  Traceparent: {
    name: "traceparent",
    in: "header",
    description: "W3C Trace Context of your trace.",
    schema: text,
  },
};

/** The headers of responses, as `components/headers`. */
export const headers = {
  "x-request-id": {
    required: true,
    description: "ID of the request, as it appears in logs and traces.",
    schema: text,
  },
  "API-Version": {
    required: true,
    description: `Version of the API: ${apiVersion}.`,
    schema: text,
  },
  "Server-Timing": {
    description: "Duration of each processing step in milliseconds, the remainder, and the total.",
    schema: text,
  },
  traceparent: { description: "W3C Trace Context of this request.", schema: text },
  "Retry-After": {
    required: true,
    description: "Seconds to wait before a retry.",
    schema: seconds,
  },
  "RateLimit-Limit": {
    description: "Burst of the team: how many requests may be sent at once.",
    schema: count,
  },
  "RateLimit-Remaining": { description: "How many requests may be sent at once now.", schema: count },
  "RateLimit-Reset": { description: "Seconds until the full burst is available again.", schema: count },
  "WWW-Authenticate": { required: true, description: "How to send an API key.", schema: text },
};

export type HeaderName = keyof typeof headers;

/** Returns references to the headers of every response and to those in `names`, as a response lists them. */
export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(
    (["x-request-id", "API-Version", ...names] as const).map((name) => [name, refTo(name, "headers")]),
  );

/** Further headers of every response to a compute call. */
export const computeResponseHeaders = [
  "Server-Timing",
  "traceparent",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;
