import { signInLinkHours } from "@faceline/accounts/people/sign-in-link";
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { linkPage } from "@faceline/web/accounts/admin-link-pages";
import type { Flash } from "@faceline/web/accounts/flash";
import { type AccountContext, sendAccountPage, siteOrigin } from "./account-context.ts";
import { confirm } from "./confirmation.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Stands for an email in addresses of pages, which are logged and stay in the browser's history. */
export const emailId = (email: string): string =>
  createHash("sha256").update(email).digest("hex").slice(0, 32);

export const personPath = (email: string): string => `/admin/people/${emailId(email)}`;

/**
 * Makes a sign-in link for a person. If it was mailed, redirects to the page of the person. Otherwise shows
 * it, only this once: only its SHA-256 is stored, so no page could show it again.
 */
export async function sendNewAddress(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, team, title, mailed, shown }: NewAddress,
): Promise<FastifyReply> {
  const origin = siteOrigin(context, request);
  const sent = await context.accounts.admin.sendAddress(email, origin, actorOf(request));
  if (sent === null) throw new PageRefusal("not_found");
  if (sent.kind === "mailed") return confirm(reply, personPath(email), mailed);
  const hours = signInLinkHours;
  const page = linkPage({ id: emailId(email), title, later: shown, email, team, sent, hours });
  return sendAccountPage(context, request, reply, page);
}

/** Flash messages on the page of a new member. */
export const newMember = { mailed: "member_mailed", shown: "member_made" } as const;

/** `title`: that of the link's page. `mailed`, `shown`: what the page of the person says afterwards. */
type NewAddress = { email: string; team: string; title: string; mailed: Flash; shown: Flash };

export type IdRoute = { Params: { id: string } };
