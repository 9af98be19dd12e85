import type { RequestId } from "@faceline/contracts/http/response-fields";
import { traceparentOf } from "@faceline/runtime/tracing/trace-context";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAuthenticator } from "./auth/authenticate.ts";
import type { Identify } from "./call/caller.ts";
import { onClose, schemeOf } from "./call/context.ts";
import type { CallSlot, Ports } from "./call/ports.ts";
import { CallRecord } from "./call/record.ts";
import { refusal } from "./call/refusal-cause.ts";
import { callTraceFrom, deadlineMsFrom } from "./call/request-headers.ts";
import { serverTiming } from "./call/server-timing.ts";
import type { HttpSettings } from "./config.ts";
import { CallMemory } from "./memory/call-memory.ts";

/**
 * Adds the hooks that every compute call passes before its body is read, in this order: is the service
 * serving, who calls, within which limits, until when. A refusal here costs no memory: a client without a key
 * cannot make the service read a body of 32 MiB. Responses get their `traceparent` and `Server-Timing`.
 */
export function addComputeHooks(
  app: FastifyInstance,
  { ports, settings, identify, unknownCaller }: ComputeHookParts,
): void {
  app.decorateRequest("requestContext");
  app.decorateRequest("bodySender");
  app.decorateRequest("callRecord");
  app.decorateRequest("callEndedAt");

  app.addHook("onRequest", async (request, reply) => {
    const requestId = request.id as RequestId;
    const route = request.routeOptions.url ?? "";
    const { traceparent, tracestate } = request.headers;
    const { clock } = ports;
    const trace = callTraceFrom({ traceparent, tracestate }, route, ports);
    const http = { scheme: schemeOf(request), version: request.raw.httpVersion };
    const record = new CallRecord({ requestId, route, trace, http, now: () => clock.now() });
    record.tenant = unknownCaller;
    request.callRecord = record;
    const { arrivedAt } = record;
    if (!ports.isServing()) throw refusal("stopping");
    const signal = abortSignal(request, reply, ports.drainTimeout);
    const { tenant, bodyBytesPerSecond, pacedWhenRefused, acquireSlot } = await identify(request);
    record.tenant = tenant;
    const bodySender = { team: tenant, bytesPerSecond: bodyBytesPerSecond };
    if (pacedWhenRefused) request.bodySender = bodySender;
    holdSlot(reply, await acquireSlot());
    if (record.keyId !== undefined) app.acceptConnection(request.raw.socket);
    request.bodySender = bodySender;
    const memory = new CallMemory();
    onClose(reply, () => memory.end());
    record.deadlineMs = deadlineMsFrom(request.headers["x-request-timeout-ms"], settings);
    request.requestContext = {
      requestId,
      tenant,
      arrivedAt,
      deadlineAt: arrivedAt + record.deadlineMs,
      traceparent: traceparentOf(trace.context),
      // Empty if no member was valid.
      tracestate: trace.context.traceState?.serialize() || undefined,
      signal,
      record,
      memory,
    };
  });

  app.addHook("onSend", async (request, reply) => {
    const { requestContext, callRecord } = request;
    if (callRecord === undefined) return;
    request.callEndedAt = ports.clock.now();
    if (requestContext === undefined) return;
    reply.header("traceparent", requestContext.traceparent);
    reply.header("server-timing", serverTiming(callRecord, request.callEndedAt));
  });

  app.addHook("onResponse", async ({ callRecord: record, callEndedAt }, reply) => {
    if (record === undefined) return;
    const endedAt = callEndedAt ?? ports.clock.now();
    const status = reply.raw.writableFinished ? reply.statusCode : undefined;
    ports.recordCall({ record, endedAt, parts: record.parts(endedAt), status });
  });
}

/** Returns the function that identifies calls by their API keys: see createAuthenticator. */
export function identifyTeams(ports: Ports, settings: HttpSettings): Identify {
  const authenticate = createAuthenticator(ports, settings);
  return async (request) => {
    const { tenant, limits } = await authenticate(request);
    return {
      tenant,
      bodyBytesPerSecond: limits.bodyBytesPerSecond,
      pacedWhenRefused: true,
      acquireSlot: () => ports.acquireTeamSlot(tenant, limits),
    };
  };
}

/**
 * Holds the slot of a call until it has ended, and adds the RateLimit headers to its response, also to an
 * error. Throws `rate_limited`.
 */
function holdSlot(reply: FastifyReply, { rate, error, release }: CallSlot): void {
  onClose(reply, release);
  if (rate !== undefined) {
    reply.header("ratelimit-limit", rate.limit);
    reply.header("ratelimit-remaining", rate.remaining);
    reply.header("ratelimit-reset", Math.ceil(rate.resetMs / 1000));
  }
  if (error !== undefined) throw error;
}

/**
 * Aborts when the client disconnects before the response was sent, and at `drainTimeout` with the error to
 * send. While the body arrives, no handler could act on that, so the response is sent from here.
 */
function abortSignal(request: FastifyRequest, reply: FastifyReply, drainTimeout: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const refuse = () => {
    if (request.raw.complete) controller.abort(refusal("stopping"));
    else reply.send(refusal("stopping"));
  };
  drainTimeout.addEventListener("abort", refuse);
  onClose(reply, () => {
    drainTimeout.removeEventListener("abort", refuse);
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

type ComputeHookParts = {
  ports: Ports;
  settings: HttpSettings;
  identify: Identify;
  /** Team for requests that are refused before `identify` knows their own. */
  unknownCaller: string;
};
