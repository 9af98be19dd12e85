import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addressPage } from "../../pages/accounts/admin-people-pages.ts";
import { type AccountContext, sendAccountPage, siteOrigin } from "./account-context.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

// Covered by ./admin.test.ts.

/** Stands for an email in addresses of pages, which are logged, and stay in the history of a browser. */
export const emailId = (email: string): string =>
  createHash("sha256").update(email).digest("hex").slice(0, 32);

/** Makes a sign-in address for a person and sends the page that says what became of it. */
export async function sendNewAddress(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, team, done }: { email: string; team: string; done: string },
): Promise<FastifyReply> {
  const origin = siteOrigin(context, request);
  const sent = await context.accounts.admin.sendAddress(email, origin, actorOf(request));
  if (sent === null) throw new PageRefusal("not_found");
  const hours = context.settings.SIGN_IN_ADDRESS_HOURS;
  return sendAccountPage(context, request, reply, addressPage({ done, email, team, sent, hours }));
}

export type IdRoute = { Params: { id: string } };
