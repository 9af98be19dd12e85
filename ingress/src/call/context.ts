import type { ServerResponse } from "node:http";
import type { Dependency } from "@faceline/contracts/http/dependency";
import type { ErrorCode } from "@faceline/contracts/http/errors";
import { type CallIds, spanIds } from "@faceline/runtime/log-ids";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DispatchedCall } from "./ports.ts";
import type { CallRecord } from "./record.ts";

/** An admitted compute request: who sent it, its deadline, and whether the client is still there. */
export type RequestContext = Omit<DispatchedCall, "lane" | "options" | "images" | "costs">;

/** Seconds since the call arrived, to the millisecond: the `time` of responses. */
export const secondsSince = ({ arrivedAt }: RequestContext, now: number): number =>
  Number(((now - arrivedAt) / 1000).toFixed(3));

/**
 * Runs `done` once the response was sent or the client disconnected. If that has already happened, while a
 * hook awaited something, `done` runs at once: no further event would come.
 */
export function onClose({ raw }: FastifyReply, done: () => void): void {
  if (raw.closed) return done();
  const waiting = closing.get(raw);
  if (waiting !== undefined) return void waiting.push(done);
  const all = [done];
  closing.set(raw, all);
  raw.once("close", () => {
    for (const each of all) each();
  });
}

/** Scheme that the client used, also in front of a trusted proxy. */
export const schemeOf = ({ protocol }: Pick<FastifyRequest, "protocol">): "http" | "https" =>
  protocol === "https" ? "https" : "http";

/** A listener for each would exceed the ten after which Node warns of a leak. */
const closing = new WeakMap<ServerResponse, (() => void)[]>();

/** Fields of every log line about a call. The trace is named only if it is exported. */
export function callIds({ id, callRecord }: Pick<FastifyRequest, "id" | "callRecord">): CallIds {
  return { request_id: id, ...spanIds(callRecord?.trace.context) };
}

declare module "fastify" {
  interface FastifyReply {
    /** Code of an error response. */
    errorCode?: ErrorCode;
    /** What was missing, if the code is `dependency_unavailable`. */
    missingDependency?: Dependency | undefined;
  }
  interface FastifyRequest {
    /** Set for compute calls once they are let in. */
    requestContext?: RequestContext;
    /** Set for every compute call as it arrives. */
    callRecord?: CallRecord;
    /** Set when its response is ready. */
    callEndedAt?: number;
  }
}
