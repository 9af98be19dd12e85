import { apiVersion } from "@faceline/contracts/http/response-fields";
import { keylessTenant } from "@faceline/contracts/wire/ids";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import { version } from "@faceline/runtime/resource";
import type { Facts } from "@faceline/web/facts";
import { addPages, openPages, sendMissingPage } from "./pages.ts";
import type { Accounts } from "./accounts/open-accounts.ts";
import { addAccountRoutes } from "./accounts/account-routes.ts";
import { addCors } from "./auth/cors.ts";
import { BodyPace, discardUnreadBodies } from "./body/body-pace.ts";
import { LargeCalls } from "./body/large-calls.ts";
import { type BodyParts, limitBodyMemory } from "./body/memory-budget.ts";
import { addBodyParsers } from "./body/parsers.ts";
import { ApiError } from "./call/api-error.ts";
import type { ClosedConnection } from "./call/closed-connection.ts";
import { callIds } from "./call/context.ts";
import type { Ports } from "./call/ports.ts";
import { requestIdFrom } from "./call/request-headers.ts";
import { addComputeHooks, identifyTeams } from "./compute-hooks.ts";
import { addComputeRoutes } from "./compute-routes.ts";
import type { HttpSettings } from "./config.ts";
import { limitConnections } from "./connections/limit-connections.ts";
import { requestLimits } from "./endpoints/capabilities.ts";
import type { RouteContext } from "./endpoints/endpoint.ts";
import { serviceEndpoints } from "./endpoints/table.ts";
import { answerMalformedRequest, ignoreExpectations, rejectConnect } from "./errors/malformed-requests.ts";
import { rejectUnknownRoutes } from "./errors/not-found.ts";
import { apiErrorFrom, sendProblem } from "./errors/problem-response.ts";
import { InputReader } from "./images/inputs.ts";
import { SlabPool } from "./memory/slab-pool.ts";
import { SharedBudget } from "./limits/shared-budget.ts";
import type { EnabledModels } from "./models/enabled-models.ts";
import { addRequestMetrics } from "./request-metrics.ts";
import { testerFacts } from "./tester/tester-settings.ts";
import { addTesterRoutes } from "./tester-routes.ts";

/**
 * Builds the HTTP server. It opens no connection: whatever it needs from outside the process comes through
 * the ports.
 */
export function buildServer(
  ports: Ports,
  settings: HttpSettings,
  models: EnabledModels,
  { accounts, limits = {} }: ServerOptions = {},
): FastifyInstance {
  const site = withoutSlash(settings.PUBLIC_URL);
  const now = () => ports.clock.now();
  const parts: ServerParts = {
    ports,
    settings,
    limits,
    site,
    bug(error, request) {
      ports.reportBug(error, callIds(request));
      const detail = "Something went wrong in the service. Its log has the reason under the request id.";
      return new ApiError("internal_error", detail);
    },
    reportClosed(reason) {
      ports.metrics.add("faceline.connections.closed", 1, { reason });
      ports.reportClosedConnection(reason);
    },
  };
  const app = createApp(parts);
  addRequestMetrics(app, ports.metrics, {
    lanes: models.lanes,
    connectionsMax: settings.CONNECTIONS_MAX,
  });
  const { reportClosed: report } = parts;
  limitConnections(app, { ...settings, report, reportFull: ports.reportConnectionsFull });
  addCors(app, settings);
  const facts = pageFacts(settings, models, accounts !== undefined);
  const pages = settings.PAGES === "on" ? openPages(facts) : undefined;
  rejectUnknownRoutes(app, pages && ((request, reply) => sendMissingPage(pages, request, reply)));
  ignoreExpectations(app);
  rejectConnect(app, site, now);
  const bodyParts = addBodies(app, parts, models);

  const context = { ports, settings, models, inputs: new InputReader(settings) };
  for (const { path, handle } of serviceEndpoints) {
    app.get(path, (_request, reply) => handle(context, reply));
  }
  addComputeScope(app, context, bodyParts, limits);
  if (pages !== undefined) {
    addTesterRoutes(app, context, bodyParts, limits.visitorBodyBytesPerSecond);
    addPages(app, pages);
    const reportBug = (error: unknown, request: FastifyRequest) => void parts.bug(error, request);
    if (accounts !== undefined) addAccountRoutes(app, { accounts, settings, facts, now, pages, reportBug });
  }
  return app;
}

/** Returns the server without routes: how it parses, what every response has, and how errors are sent. */
function createApp({ ports, settings, site, bug, reportClosed }: ServerParts): FastifyInstance {
  const now = () => ports.clock.now();
  const app = fastify({
    bodyLimit: settings.BODY_BYTES_MAX,
    requestTimeout: requestMs,
    requestIdHeader: false,
    trustProxy: settings.TRUSTED_PROXIES.length > 0 && settings.TRUSTED_PROXIES,
    http: {
      // Node would refuse a request without Host in a shape of its own. Only the public tester reads Host.
      requireHostHeader: false,
      connectionsCheckingInterval: connectionsCheckEveryMs,
      headersTimeout: headersMs,
    },
    genReqId: ({ headers }) => requestIdFrom(headers["x-request-id"], now()),
    // While closing, Fastify would answer 503 in a shape of its own; `isServing` refuses in ours.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void sendProblem(request, reply, apiErrorFrom(error) ?? bug(error, request), site);
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") reportClosed("request_timeout");
      answerMalformedRequest(error, socket, site, now());
    },
  });
  app.setErrorHandler((error, request, reply) => {
    const signal = request.requestContext?.signal;
    if (signal?.aborted) {
      if (signal.reason instanceof ApiError) return sendProblem(request, reply, signal.reason, site);
      // The client has disconnected: nobody reads this response, and a resulting error is not a bug.
      return reply.code(503).send();
    }
    const known = apiErrorFrom(error);
    return sendProblem(request, reply, known ?? bug(error, request), site);
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("api-version", apiVersion);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
  });
  app.addHook("onSend", async (_request, reply) => {
    // So clients and proxies open their next connection elsewhere. If the end of the process closed this one,
    // a request could be on its way.
    if (ports.isStopping()) reply.header("connection", "close");
  });
  return app;
}

/** Adds parsers of bodies, with the memory and the pace that all of them share. */
function addBodies(
  app: FastifyInstance,
  { ports, settings, limits }: ServerParts,
  models: EnabledModels,
): BodyParts {
  const budget = new SharedBudget(settings.BODIES_IN_FLIGHT_BYTES_MAX);
  const pace = new BodyPace(settings);
  app.decorate("heldBodyBytes", () => budget.heldBytes);
  ports.metrics.observe("faceline.bodies.used", () => [[budget.heldBytes, {}]]);
  ports.metrics.observe("faceline.bodies.max", () => [[settings.BODIES_IN_FLIGHT_BYTES_MAX, {}]]);
  discardUnreadBodies(app, pace);
  const pool = new SlabPool();
  addBodyParsers(app, { ...settings, vectorLengthMax: models.vectorLengthMax }, pool);
  return { budget, pace, pool, largeCalls: new LargeCalls(limits.largeCallWaitMs) };
}

/** Adds the compute endpoints in a scope of its own: its hooks do not run for the public routes. */
function addComputeScope(
  app: FastifyInstance,
  context: RouteContext,
  bodyParts: BodyParts,
  limits: Limits,
): void {
  const { ports, settings } = context;
  app.register(async (compute) => {
    const identify = identifyTeams(ports, settings);
    addComputeHooks(compute, { ports, settings, identify, unknownCaller: keylessTenant });
    limitBodyMemory(compute, { ...settings, idleMs: limits.bodyIdleMs }, bodyParts);
    addComputeRoutes(compute, context);
  });
}

const pageFacts = (settings: HttpSettings, models: EnabledModels, accounts: boolean): Facts => ({
  version,
  publicUrl: withoutSlash(settings.PUBLIC_URL),
  keysNeeded: settings.AUTH === "on",
  limits: requestLimits(settings, models),
  teamBodyBytesPerSecond: settings.TEAM_BODY_BYTES_PER_SECOND,
  models: models.embeddingModels,
  cards: Object.fromEntries(models.cards),
  detectors: models.detectors.map(({ name }) => name),
  tester: testerFacts(settings),
  accounts,
});

const withoutSlash = (url: string): string => url.replace(/\/$/, "");

/** Time for a client to send a request. */
const requestMs = 120_000;
/** Interval at which Node looks for requests that take longer to arrive. */
const connectionsCheckEveryMs = 2_000;
/** How long the headers of a request may take, those of a new connection's first one included. */
const headersMs = 10_000;

type ServerOptions = {
  /** Accounts for the pages for people; without them there are no such pages. */
  accounts?: Accounts | undefined;
  /** Overrides of the constants of these names, for tests that would otherwise wait for them. */
  limits?: { bodyIdleMs?: number; largeCallWaitMs?: number; visitorBodyBytesPerSecond?: number } | undefined;
};
type Limits = NonNullable<ServerOptions["limits"]>;

type ServerParts = {
  ports: Ports;
  settings: HttpSettings;
  limits: Limits;
  /** Origin of the service, without a slash at its end. */
  site: string;
  /** Logs a bug and returns what the client gets. */
  bug(error: unknown, request: FastifyRequest): ApiError;
  reportClosed(reason: ClosedConnection): void;
};

declare module "fastify" {
  interface FastifyInstance {
    /** Bytes of request bodies that are in memory: see limitBodyMemory. */
    heldBodyBytes(): number;
  }
}
