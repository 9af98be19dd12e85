import type { RequestId } from "@faceline/contracts/http/reply-fields";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import type { TaskTiming } from "@faceline/contracts/wire/answer";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAuthenticator } from "./auth/authenticate.ts";
import { notServing } from "./call/api-error.ts";
import { noTiming, onClose } from "./call/context.ts";
import type { Ports } from "./call/ports.ts";
import { deadlineMsFrom, traceparentFrom } from "./call/request-headers.ts";
import type { HttpSettings } from "./config.ts";

/**
 * Adds the hooks that every compute call passes before its body is read, in this order: is the service
 * serving, who calls, within which limits, until when. A refusal here costs no memory: a client without a key
 * cannot make the service read a body of 32 MiB. Replies get their `traceparent` and `Server-Timing`.
 */
export function addComputeHooks(app: FastifyInstance, ports: Ports, settings: HttpSettings): void {
  const authenticate = createAuthenticator(ports, settings);
  app.decorateRequest("requestContext");
  app.decorateRequest("bodySender");

  app.addHook("onRequest", async (request, reply) => {
    const arrivedAt = ports.clock.now();
    if (!ports.isServing()) throw notServing();
    const signal = abortSignal(request, reply, ports.drainTimeout);
    const { tenant, limits } = await authenticate(request);
    request.bodySender = { team: tenant, bytesPerSecond: limits.bodyBytesPerSecond };
    await acquireTeamSlot(ports, reply, tenant, limits);
    request.requestContext = {
      requestId: request.id as RequestId,
      tenant,
      arrivedAt,
      deadlineAt: arrivedAt + deadlineMsFrom(request.headers["x-request-timeout-ms"], settings),
      traceparent: traceparentFrom(request.headers.traceparent),
      signal,
      timing: noTiming,
    };
  });

  app.addHook("onSend", async ({ requestContext }, reply) => {
    if (requestContext === undefined) return;
    const { traceparent, timing, arrivedAt } = requestContext;
    reply.header("traceparent", traceparent);
    reply.header("server-timing", serverTimingHeader(timing, ports.clock.now() - arrivedAt));
  });
}

/**
 * Counts a call against the limits of its team until it has ended, and adds the RateLimit headers to its
 * reply, also to an error. Throws `rate_limited`.
 */
async function acquireTeamSlot(
  ports: Pick<Ports, "acquireTeamSlot">,
  reply: FastifyReply,
  team: string,
  limits: TeamLimits,
): Promise<void> {
  const { rate, error, release } = await ports.acquireTeamSlot(team, limits);
  onClose(reply, release);
  if (rate !== undefined) {
    reply.header("ratelimit-limit", rate.limit);
    reply.header("ratelimit-remaining", rate.remaining);
    reply.header("ratelimit-reset", Math.ceil(rate.resetMs / 1000));
  }
  if (error !== undefined) throw error;
}

/**
 * Aborts when the client disconnects before the reply was sent. (The `close` event of the request comes with
 * its end.) It also aborts at `drainTimeout`, with the error to reply with; while the body is still arriving
 * no handler could act on that, so the reply is sent from here.
 */
function abortSignal(request: FastifyRequest, reply: FastifyReply, drainTimeout: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const refuse = () => {
    if (request.raw.complete) controller.abort(notServing());
    else reply.send(notServing());
  };
  drainTimeout.addEventListener("abort", refuse);
  onClose(reply, () => {
    drainTimeout.removeEventListener("abort", refuse);
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function serverTimingHeader({ queueMs, batchMs, inferMs }: TaskTiming, totalMs: number): string {
  const parts = { queue: queueMs, batch: batchMs, infer: inferMs, total: totalMs };
  return Object.entries(parts)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(", ");
}
