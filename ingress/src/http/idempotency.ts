import { pipeline } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fingerprint } from "../idempotency/fingerprint.ts";
import type { Claim, Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { Arrival } from "./arrival.ts";
import { whenClosed } from "./closing.ts";

/**
 * Calls with an `Idempotency-Key`: of several with one key and one body, one computes; the others wait for its answer,
 * or are given it within ten minutes. What ended well, or would end the same way again, is kept; what failed here, or was
 * refused for now, leaves the key free.
 */
export function replayCalls(app: FastifyInstance, ports: Ports): void {
  app.decorateRequest("idempotency");

  app.addHook("preParsing", async (request, _reply, payload) => {
    const key = keyOf(request);
    if (key === undefined) return payload;
    const fingerprint = new Fingerprint(request.url);
    request.idempotency = { key, fingerprint };
    if (!isJson(request)) return payload;
    // Hashed as it comes: a body of 32 MiB would else stop the process for as long as its hash takes.
    return pipeline(payload, fingerprint.through(), () => {});
  });

  app.addHook("preHandler", async (request, reply) => {
    const { arrival, idempotency } = request;
    if (arrival === undefined || idempotency === undefined) return;
    const { key, fingerprint } = idempotency;
    const standing = await stand(ports, arrival, key, fingerprint.digest(request.body));
    switch (standing.kind) {
      case "claimed":
        idempotency.claim = standing.claim;
        // Who hangs up leaves the key to the next. Once an answer is kept this does nothing.
        whenClosed(reply, () => void standing.claim.free());
        return;
      case "unkept":
        return;
      case "conflict":
        throw new Refusal("idempotency_conflict", "This Idempotency-Key was sent with another call.", {
          field: header,
        });
      case "kept": {
        const { status, type, body } = standing.answer;
        return reply.code(status).type(type).header("idempotency-replayed", "true").send(body);
      }
    }
  });

  app.addHook("onSend", async ({ idempotency }, reply, payload) => {
    const claim = idempotency?.claim;
    if (claim === undefined) return;
    // Nobody's reply waits for it; whoever comes before it is done waits a moment.
    if (lasts(reply) && typeof payload === "string") {
      void claim.keep({
        status: reply.statusCode,
        type: String(reply.getHeader("content-type")),
        body: payload,
      });
    } else {
      void claim.free();
    }
  });
}

/** Waits while another call with this key runs, for as long as this one's own caller does. */
async function stand(ports: Ports, arrival: Arrival, key: string, fingerprint: string) {
  for (let waitMs = waitFirstMs; ; waitMs = Math.min(waitMs * 1.5, waitMaxMs)) {
    const standing = await ports.claim(arrival.tenant, key, fingerprint);
    if (standing.kind !== "running") return standing;
    const leftMs = arrival.deadlineAt - ports.clock.now();
    if (leftMs > 0) await sleep(Math.min(waitMs, leftMs), undefined, { signal: arrival.signal });
    else throw new Refusal("upstream_timeout", "The first call with this Idempotency-Key has not ended yet.");
  }
}

const waitFirstMs = 20;
const waitMaxMs = 250;

function keyOf({ headers }: FastifyRequest): string | undefined {
  const given = headers[header];
  if (given === undefined) return undefined;
  if (typeof given === "string" && /^[\x20-\x7e]{1,128}$/.test(given)) return given;
  throw new Refusal("invalid_request", "Idempotency-Key must have 1 to 128 characters, all of ASCII.", {
    field: header,
  });
}

const header = "idempotency-key";

/** What is read as JSON: see `readBodies`. */
const isJson = ({ headers }: FastifyRequest): boolean =>
  /^(application\/json|text\/plain)\b/i.test(headers["content-type"] ?? "application/json");

/** Whether the same call would be answered so again. */
const lasts = ({ statusCode }: FastifyReply): boolean => statusCode < 500 && statusCode !== 429;

declare module "fastify" {
  interface FastifyRequest {
    idempotency?: { key: string; fingerprint: Fingerprint; claim?: Claim };
  }
}
