import { isSpanContextValid } from "@opentelemetry/api";
import { RequestId } from "@faceline/contracts/http/response-fields";
import { randomBytes } from "@faceline/runtime/random";
import { readTraceparent } from "@faceline/runtime/tracing/trace-context";
import { Traceparent, Tracestate } from "@faceline/contracts/wire/ids";
import { ApiError } from "./api-error.ts";
import type { Ports } from "./ports.ts";
import type { CallTrace } from "./record.ts";

type HeaderValue = string | string[] | undefined;

/** Returns the client's `x-request-id` if it is valid, else a new UUIDv7. `now` is in epoch ms. */
export function requestIdFrom(header: HeaderValue, now: number): RequestId {
  const parsed = RequestId.safeParse(header);
  return parsed.success ? parsed.data : uuidV7(now);
}

/** Sorts by time: 48 bits of epoch milliseconds, then 74 random bits (RFC 9562). */
function uuidV7(now: number): RequestId {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.trunc(now), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(bytes.toString("hex"))!;
  return parts.slice(1).join("-") as RequestId;
}

/**
 * Starts the span of a call (W3C Trace Context): below the client's if it sent a valid `traceparent`, else in
 * a new trace.
 */
export function callTraceFrom(headers: TraceHeaders, route: string, ports: TracePorts): CallTrace {
  const parsed = Traceparent.safeParse(headers.traceparent);
  const tracestate = Tracestate.safeParse(headers.tracestate).data;
  const sent = parsed.success ? readTraceparent(parsed.data, tracestate) : undefined;
  // The specification reserves ids of zeros for "none".
  const parent = sent !== undefined && isSpanContextValid(sent) ? sent : undefined;
  const span = ports.startSpan(`POST ${route}`, ports.clock.now(), parent);
  return { span, context: span.spanContext(), parent };
}

type TraceHeaders = { traceparent?: HeaderValue; tracestate?: HeaderValue };
type TracePorts = Pick<Ports, "startSpan" | "clock">;

/** Shortest deadline that a call may have: a call takes about 20 ms when nothing else runs. */
export const deadlineMinMs = 50;

/**
 * Returns how long the client waits, in ms: `x-request-timeout-ms`, or the default. Throws `invalid_request`
 * if the header is not a whole number within the bounds.
 */
export function deadlineMsFrom(header: HeaderValue, settings: DeadlineSettings): number {
  if (header === undefined) return settings.DEADLINE_DEFAULT_MS;
  const ms = typeof header === "string" && /^\d{1,9}$/.test(header) ? Number(header) : Number.NaN;
  const { DEADLINE_MAX_MS: max } = settings;
  if (ms >= deadlineMinMs && ms <= max) return ms;
  const detail = `x-request-timeout-ms must be a whole number from ${deadlineMinMs} to ${max}.`;
  throw new ApiError("invalid_request", detail, { field: "x-request-timeout-ms" });
}

type DeadlineSettings = { DEADLINE_DEFAULT_MS: number; DEADLINE_MAX_MS: number };
