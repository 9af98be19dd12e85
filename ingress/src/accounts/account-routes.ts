import { isConnectionFailure } from "@faceline/runtime/redis";
import formbody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import { refusalPage } from "@faceline/web/accounts/refusal-page";
import { pageHeaders } from "@faceline/web/headers";
import { addBodyDeadline } from "../body/body-deadline.ts";
import { retryAfterSeconds } from "../call/api-error.ts";
import { apiErrorFrom } from "../errors/problem-response.ts";
import { type AccountContext, sendAccountPage, wordsFor } from "./account-context.ts";
import { addAdmin } from "./admin-routes.ts";
import { addDashboard } from "./dashboard-routes.ts";
import { addPerson, requireMember, requireOperator } from "./guards.ts";
import { rejectForeignForm } from "./origin-check.ts";
import { PageRefusal } from "./page-refusal.ts";
import { addSessions } from "./session.ts";
import { addSignIn } from "./sign-in-routes.ts";
import { addWaitlist } from "./waitlist-routes.ts";

/**
 * Adds the pages for people: waitlist, sign-in, dashboard and, for operators, /admin. They work without
 * scripts. Whatever is refused here is a page; the API keeps its JSON.
 */
export function addAccountRoutes(app: FastifyInstance, context: AccountContext): void {
  app.register(async (scope) => {
    addPageHeaders(scope);
    addBodyDeadline(scope, () => formReceiveMs);
    addRefusals(scope, context);
    addOriginCheck(scope, context.settings.PUBLIC_URL);
    scope.removeAllContentTypeParsers();
    await scope.register(formbody, { bodyLimit: formBytesMax });
    await addSessions(scope, context);
    addPerson(scope, context);

    refuseUnknownPages(scope, "/waitlist/*");
    addWaitlist(scope, context);
    addSignIn(scope, context);
    scope.register(
      async (members) => {
        members.addHook("onRequest", requireMember);
        addDashboard(members, context);
        refuseUnknownPages(members, "/*");
      },
      { prefix: "/dashboard" },
    );
    scope.register(
      async (operators) => {
        operators.addHook("onRequest", requireOperator);
        addAdmin(operators, context);
        refuseUnknownPages(operators, "/*");
      },
      { prefix: "/admin" },
    );
  });
}

function addPageHeaders(scope: FastifyInstance): void {
  scope.addHook("onRequest", async (_request, reply) => {
    reply.headers(pageHeaders);
    reply.header("cache-control", "no-store");
    // Addresses here may hold a secret, and nothing here is for search engines.
    reply.header("x-robots-tag", "noindex");
  });
}

/** Checks the origin before sessions are read: a forged request costs no command to the durable Redis. */
function addOriginCheck(scope: FastifyInstance, publicUrl: string): void {
  const publicOrigin = URL.parse(publicUrl)?.origin;
  scope.addHook("onRequest", async ({ method, headers, host }) => {
    if (method === "GET" || method === "HEAD") return;
    rejectForeignForm(headers, { publicOrigin, host });
  });
}

function addRefusals(scope: FastifyInstance, context: AccountContext): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const refusal = refusalFrom(error);
    if (refusal.reason === "failed") context.reportBug(error, request);
    const { reason, retryAfterMs } = refusal;
    const { status, code, dependency } = refusal.status;
    reply.code(status);
    reply.errorCode = code;
    reply.missingDependency = dependency;
    if (status === 429 || status === 503) {
      reply.header("retry-after", retryAfterSeconds(retryAfterMs ?? awayRetryAfterMs));
    }
    return sendAccountPage(
      context,
      request,
      reply,
      refusalPage(wordsFor(request), {
        reason,
        requestId: request.id,
        retryAfterMs,
        now: context.now(),
        role: request.person?.role,
      }),
    );
  });
}

function refusalFrom(error: unknown): PageRefusal {
  if (error instanceof PageRefusal) return error;
  // What Fastify and the hooks of all routes report: a body that is too large, compressed or not a form.
  const known = apiErrorFrom(error);
  if (known !== undefined && known.status < 500) return new PageRefusal("unreadable_form");
  return new PageRefusal(isConnectionFailure(error) ? "accounts_away" : "failed");
}

/** Answers what browsers send to addresses without a page. */
function refuseUnknownPages(scope: FastifyInstance, url: string): void {
  scope.route({
    method: ["GET", "POST"],
    url,
    async handler() {
      throw new PageRefusal("not_found");
    },
  });
}

/** The longest form has about 1,200 characters, of up to 12 bytes each once they are encoded. */
const formBytesMax = 16 * 1024;
const formReceiveMs = 10_000;

const awayRetryAfterMs = 60_000;
