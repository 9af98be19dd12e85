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
      "Id of the call, returned unchanged if it is 1 to 128 letters, digits and `._:-`; else the service makes a UUIDv7. Several calls may have the same one.",
    // Not RequestId, because no value is refused: with that schema clients would refuse values before they
    // send them.
    schema: text,
  },
  RequestTimeoutMs: {
    name: "x-request-timeout-ms",
    in: "header",
    description:
      "Time limit of the call, in milliseconds. `limits` of /capabilities has the bounds and the default.",
    // Without a default: generated clients would send it, whatever the operator's own is.
    schema: { type: "integer", minimum: 50, maximum: 120_000 },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A second call with this key and the same body gets the answer of the first one, for 10 minutes; with another body it is refused with 409.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  Traceparent: {
    name: "traceparent",
    in: "header",
    description: "W3C Trace Context: the trace that this call belongs to.",
    schema: text,
  },
};

/** The headers of replies, as `components/headers`. */
export const headers = {
  "x-request-id": {
    required: true,
    description: "The id of this call, in every log line and trace of it.",
    schema: refTo("RequestId"),
  },
  "Server-Timing": {
    description:
      "Where the time of the call went, in milliseconds: each part, what no part covers, and the total.",
    schema: text,
  },
  traceparent: { description: "The span of this call.", schema: text },
  "Retry-After": {
    required: true,
    description: "Seconds to wait before the call is sent again.",
    schema: seconds,
  },
  "RateLimit-Limit": { description: "Calls that the team may make at once.", schema: count },
  "RateLimit-Remaining": { description: "Calls that are left of them.", schema: count },
  "RateLimit-Reset": { description: "Seconds until all of them are available again.", schema: count },
  "Idempotency-Replayed": {
    description: "`true`: the answer of an earlier call with the same Idempotency-Key.",
    schema: text,
  },
  "WWW-Authenticate": { required: true, description: "How to send a key.", schema: text },
  Allow: { required: true, description: "The methods that this path takes.", schema: text },
};

export type HeaderName = keyof typeof headers;

/** Returns references to headers, as a response lists them. */
export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, refTo(name, "headers")]));

/** The headers of every reply to a compute call. */
export const computeReplyHeaders = [
  "x-request-id",
  "Server-Timing",
  "traceparent",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;
