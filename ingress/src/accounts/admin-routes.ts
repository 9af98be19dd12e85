import { AuditId } from "@faceline/accounts/audit/audit-log";
import type { FastifyInstance } from "fastify";
import { auditPage } from "@faceline/web/accounts/admin-audit-page";
import { usagePage } from "@faceline/web/accounts/admin-usage-page";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { addPeople } from "./admin-people-routes.ts";
import { addTeams } from "./admin-team-routes.ts";
import { addWaiting } from "./admin-waitlist-routes.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the pages of operators to a scope with the prefix /admin, which `requireOperator` guards. */
export function addAdmin(scope: FastifyInstance, context: AccountContext): void {
  addWaiting(scope, context);
  addTeams(scope, context);
  addUsage(scope, context);
  addPeople(scope, context);
  addAudit(scope, context);
}

function addUsage(scope: FastifyInstance, context: AccountContext): void {
  scope.get("/usage", async (request, reply) =>
    sendAccountPage(context, request, reply, usagePage(await context.accounts.admin.usage())),
  );
}

function addAudit(scope: FastifyInstance, context: AccountContext): void {
  scope.get<{ Querystring: { before?: unknown } }>("/audit", async (request, reply) => {
    const before = AuditId.optional().safeParse(request.query.before);
    if (!before.success) throw new PageRefusal("not_found");
    const { entries, keys } = await context.accounts.admin.audit({
      count: entriesOfPage,
      before: before.data,
    });
    const older = entries.length === entriesOfPage ? entries.at(-1)!.id : undefined;
    return sendAccountPage(context, request, reply, auditPage({ entries, keys, older }));
  });
}

const entriesOfPage = 50;
