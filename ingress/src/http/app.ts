import type { RequestId } from "@faceline/contracts/http/reply-fields";
import type { Catalogue } from "@faceline/models/catalogue";
import { type FastifyInstance, fastify } from "fastify";
import { Inputs } from "../images/inputs.ts";
import { Offer } from "../offer.ts";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { capabilities } from "../routes/capabilities.ts";
import { compare } from "../routes/compare.ts";
import { alive, health, ready } from "../routes/health.ts";
import { serveOpenApi } from "../routes/openapi.ts";
import { represent } from "../routes/represent.ts";
import { verify } from "../routes/verify.ts";
import type { HttpSettings } from "../settings.ts";
import { admitCalls } from "./arrival.ts";
import { readBodies } from "./bodies.ts";
import { budgetBodies } from "./body-budget.ts";
import { answerBrokenCall, ignoreExpectations, refuseTunnels } from "./broken-calls.ts";
import { allowOrigins } from "./cors.ts";
import { refuseHopeless } from "./hopeless.ts";
import { replayCalls } from "./idempotency.ts";
import { refusalOf, sendProblem } from "./problems.ts";
import { requestIdOf } from "./request-id.ts";
import { refuseStrangers } from "./strangers.ts";

/** The HTTP side of the ingress. It opens nothing: what it needs of the world comes through the ports. */
export function buildApp(ports: Ports, settings: HttpSettings, catalogue: Catalogue): FastifyInstance {
  const site = settings.PUBLIC_URL.replace(/\/$/, "");
  const now = () => ports.clock.now();
  const app = fastify({
    bodyLimit: settings.BODY_BYTES_MAX,
    requestTimeout: settings.BODY_RECEIVE_MS,
    requestIdHeader: false,
    // Node would refuse a call without Host in a shape of its own. Nothing here reads it.
    http: { requireHostHeader: false },
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"], now()),
    // While closing, Fastify would answer 503 in a shape of its own; `serving` refuses in ours.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void sendProblem(request, reply, refusalOf(error) ?? bug(error, request.id), site);
    },
    clientErrorHandler: (error, socket) => answerBrokenCall(error, socket, site, now()),
  });
  const bug = (error: unknown, requestId: string): Refusal => {
    ports.unexpected(error, requestId as RequestId);
    return new Refusal("internal_error", "Something went wrong here. The request id leads to the reason.");
  };
  app.setErrorHandler((error, request, reply) => {
    // Nobody reads this one, and what broke because the caller left is no bug.
    if (request.arrival?.signal.aborted) return reply.code(503).send();
    return sendProblem(request, reply, refusalOf(error) ?? bug(error, request.id), site);
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
  });
  allowOrigins(app, settings);
  refuseStrangers(app);
  ignoreExpectations(app);
  refuseTunnels(app, site, now);
  readBodies(app, settings);

  const desk = { ports, settings, offer: new Offer(catalogue, settings), inputs: new Inputs(settings) };
  app.get("/health", (_request, reply) => health(desk, reply));
  app.get("/livez", alive);
  app.get("/readyz", async () => ready(desk));
  app.get("/openapi.json", serveOpenApi);
  app.get("/capabilities", async () => capabilities(desk));
  // Their own scope: what they pass on the way in does not concern the public routes.
  app.register(async (calls) => {
    admitCalls(calls, ports, settings);
    budgetBodies(calls, settings);
    replayCalls(calls, ports);
    calls.post("/verify", (request) => verify(desk, request));
    calls.post("/represent", { onRequest: refuseHopeless(desk) }, (request) => represent(desk, request));
    calls.post("/compare", (request) => compare(desk, request));
  });
  return app;
}
