import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AccountContext } from "./account-context.ts";
import type { Actor } from "@faceline/accounts/audit/audit-log";
import type { Person } from "@faceline/accounts/people/person";
import { PageRefusal } from "./page-refusal.ts";
import { touchSession } from "./session.ts";

/**
 * Finds who is signed in, at each request, so that a forgotten person or a changed role or team takes effect
 * at once. Added to the scope of all account pages, after the sessions.
 */
export function addPerson(scope: FastifyInstance, { accounts, now }: AccountContext): void {
  scope.decorateRequest("person", null);
  scope.addHook("onRequest", async (request) => {
    const { email } = request.session;
    if (email === undefined) return;
    request.person = await accounts.findPerson(email);
    if (request.person !== null) touchSession(request, now());
  });
}

/** A hook for the routes of a scope: people who are signed in pass, others are sent to /sign-in. */
export async function requireMember(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.person === null) await reply.redirect("/sign-in", 303);
}

/** The same for operators. For everybody else who is signed in there is no page. */
export async function requireOperator(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.person === null) await reply.redirect("/sign-in", 303);
  else if (request.person.role !== "operator") throw new PageRefusal("not_found");
}

/** Returns the person of a request that `requireMember` or `requireOperator` has let in. */
export const signedIn = (request: FastifyRequest): Person => request.person!;

/** The same person, for the audit log. */
export const actorOf = (request: FastifyRequest): Actor => ({
  by: signedIn(request).email,
  requestId: request.id,
});

declare module "fastify" {
  interface FastifyRequest {
    /** Who is signed in; null: nobody. Only on account pages. */
    person: Person | null;
  }
}
