import { pipeline } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@faceline/contracts/http/problem";
import { readMessage } from "@faceline/runtime/message";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import { onClose, type RequestContext } from "../call/context.ts";
import type { IdempotencyLock, IdempotencyLookup, Ports } from "../call/ports.ts";
import { Fingerprint } from "./fingerprint.ts";

/**
 * Adds hooks for calls with an `Idempotency-Key`. Of several calls with one key and one body, one computes;
 * the others wait for its reply, or get the stored reply within ten minutes. A reply is stored if the same
 * call would get it again; after a failure of this service, or a refusal that is temporary, the key is
 * released.
 */
export function addIdempotency(app: FastifyInstance, ports: Ports): void {
  app.decorateRequest("idempotency");

  app.addHook("preParsing", async (request, _reply, payload) => {
    const key = keyFrom(request);
    if (key === undefined) return payload;
    const fingerprint = new Fingerprint(request.url);
    request.idempotency = { key, fingerprint };
    if (!isJson(request)) return payload;
    // Hashed as it arrives: hashing a body of 32 MiB at once would block the process.
    return pipeline(payload, fingerprint.hashingStream(), () => {});
  });

  app.addHook("preHandler", async (request, reply) => {
    const { requestContext, idempotency } = request;
    if (requestContext === undefined || idempotency === undefined) return;
    const { key, fingerprint } = idempotency;
    const lookup = await lookUp(ports, requestContext, key, fingerprint.digest(request.body));
    switch (lookup.kind) {
      case "acquired":
        idempotency.lock = lookup.lock;
        // A client that disconnects leaves the key to the next call. After the reply was stored this does
        // nothing.
        onClose(reply, () => void lookup.lock.release());
        return;
      case "not_stored":
        return;
      case "conflict":
        throw new ApiError("idempotency_conflict", "This Idempotency-Key was sent with another request.", {
          field: header,
        });
      case "stored": {
        const { status, type, body } = lookup.reply;
        if (status >= 400) recordStoredError(request, reply, body);
        return reply.code(status).type(type).header("idempotency-replayed", "true").send(body);
      }
    }
  });

  app.addHook("onSend", async ({ idempotency }, reply, payload) => {
    const lock = idempotency?.lock;
    if (lock === undefined) return;
    // The reply does not wait for Redis. A call that comes before the reply is stored waits a moment.
    if (isRepeatable(reply) && typeof payload === "string") {
      const type = String(reply.getHeader("content-type"));
      void lock.store({ status: reply.statusCode, type, body: payload });
    } else {
      void lock.release();
    }
  });
}

/** The call is logged and counted by what its reply says, like the first one. */
function recordStoredError({ callRecord }: FastifyRequest, reply: FastifyReply, body: string): void {
  const problem = readMessage(Problem, Buffer.from(body));
  if (!problem.ok || callRecord === undefined) return;
  callRecord.error = new ApiError(problem.value.error, problem.value.detail);
  reply.errorCode = problem.value.error;
}

/** Looks the key up; while another call with it runs, again and again until the deadline of this call. */
async function lookUp(
  ports: Ports,
  { tenant, deadlineAt, signal }: RequestContext,
  key: string,
  fingerprint: string,
): Promise<Exclude<IdempotencyLookup, { kind: "running" }>> {
  for (let pauseMs = pauseMinMs; ; pauseMs = Math.min(pauseMs * 1.5, pauseMaxMs)) {
    const lookup = await ports.acquireIdempotencyKey(tenant, key, fingerprint);
    if (lookup.kind !== "running") return lookup;
    const leftMs = deadlineAt - ports.clock.now();
    if (leftMs > 0) await sleep(Math.min(pauseMs, leftMs), undefined, { signal });
    else
      throw new ApiError(
        "upstream_timeout",
        "The first request with this Idempotency-Key has not ended yet.",
      );
  }
}

const pauseMinMs = 20;
const pauseMaxMs = 250;

function keyFrom({ headers }: FastifyRequest): string | undefined {
  const key = headers[header];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x20-\x7e]{1,128}$/.test(key)) return key;
  throw new ApiError("invalid_request", "Idempotency-Key must have 1 to 128 characters, all of ASCII.", {
    field: header,
  });
}

const header = "idempotency-key";

/** Whether the body is parsed as JSON: see `addBodyParsers`. */
const isJson = ({ headers }: FastifyRequest): boolean =>
  /^(application\/json|text\/plain)\b/i.test(headers["content-type"] ?? "application/json");

/** Whether the same call would get the same reply again. */
const isRepeatable = ({ statusCode }: FastifyReply): boolean => statusCode < 500 && statusCode !== 429;

declare module "fastify" {
  interface FastifyRequest {
    idempotency?: { key: string; fingerprint: Fingerprint; lock?: IdempotencyLock };
  }
}
