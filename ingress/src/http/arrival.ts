import type { RequestId } from "@faceline/contracts/http/reply-fields";
import type { TaskTiming } from "@faceline/contracts/wire/answer";
import type { FastifyInstance, FastifyReply } from "fastify";
import { openGate } from "../auth/gate.ts";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { whenClosed } from "./closing.ts";
import { waitsMs } from "./deadline.ts";
import { countIn } from "./team-limits.ts";
import { traceparentOf } from "./trace.ts";

/**
 * What every compute call passes before its body is read, and what its answer carries. Refusing here costs no body: a
 * stranger cannot make the service read 32 MiB.
 */
export function admitCalls(app: FastifyInstance, ports: Ports, settings: HttpSettings): void {
  const gate = openGate(ports, settings);
  app.decorateRequest("arrival");

  app.addHook("onRequest", async (request, reply) => {
    const arrivedAt = ports.clock.now();
    if (!ports.serving()) throw notReady();
    const signal = hangUpOf(reply);
    const { tenant, limits } = await gate(request);
    await countIn(ports, reply, tenant, limits);
    request.arrival = {
      requestId: request.id as RequestId,
      tenant,
      arrivedAt,
      deadlineAt: arrivedAt + waitsMs(request.headers["x-request-timeout-ms"], settings),
      traceparent: traceparentOf(request.headers.traceparent),
      signal,
      timing: { queueMs: 0, batchMs: 0, inferMs: 0 },
    };
  });

  app.addHook("onSend", async ({ arrival }, reply) => {
    if (arrival === undefined) return;
    reply.header("traceparent", arrival.traceparent);
    reply.header("server-timing", serverTiming(arrival.timing, ports.clock.now() - arrival.arrivedAt));
  });
}

export const notReady = () =>
  new Refusal("not_ready", "This instance is starting or stopping.", { retryAfterMs: 1_000 });

/** Aborts when the connection closes before the reply is out. (The request's own `close` comes with the end of its body.) */
function hangUpOf(reply: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  whenClosed(reply, () => {
    if (!reply.raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

function serverTiming({ queueMs, batchMs, inferMs }: TaskTiming, totalMs: number): string {
  const parts = { queue: queueMs, batch: batchMs, infer: inferMs, total: totalMs };
  return Object.entries(parts)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(", ");
}

/** Seconds since the call came, as answers show it. */
export const secondsSince = (arrival: Arrival, now: number): number =>
  Number(((now - arrival.arrivedAt) / 1000).toFixed(3));

/** One compute call, once it was let in. */
export type Arrival = {
  requestId: RequestId;
  tenant: string;
  arrivedAt: number;
  deadlineAt: number;
  traceparent: string;
  signal: AbortSignal;
  /** Of the answer that took longest. Zero while there is none. */
  timing: TaskTiming;
};

declare module "fastify" {
  interface FastifyRequest {
    arrival?: Arrival;
  }
}
