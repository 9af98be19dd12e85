import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccountPage } from "@faceline/web/accounts/account-page";
import type { Facts } from "@faceline/web/facts";
import { addVary } from "@faceline/web/content";
import { frame } from "@faceline/web/frame";
import { allWords, chooseLanguage, english, type Words } from "@faceline/web/words/language";
import type { Pages } from "../pages.ts";
import type { HttpSettings } from "../config.ts";
import type { Accounts } from "./open-accounts.ts";

export type AccountContext = {
  accounts: Accounts;
  settings: HttpSettings;
  facts: Facts;
  now(): number;
  /** The other pages, rendered: the addresses of styles and scripts. */
  pages: Pages;
  /** Logs a bug of this service. */
  reportBug(error: unknown, request: FastifyRequest): void;
};

/** Returns the origin of this service as its reader reaches it. Not for mails: senders choose the host. */
export const siteOrigin = ({ facts }: AccountContext, { protocol, host }: FastifyRequest): string =>
  facts.publicUrl || `${protocol}://${host}`;

/** Returns the words of the language that a visitor prefers. Members and operators have pages in English. */
export const wordsFor = ({ headers }: FastifyRequest): Words =>
  allWords[chooseLanguage(headers["accept-language"])];

/**
 * Sends an account page in the frame of all pages, with who is signed in. It is not compressed: the length of
 * a compressed page gives hints about a secret in it.
 */
export async function sendAccountPage(
  { pages, facts }: Pick<AccountContext, "pages" | "facts">,
  request: FastifyRequest,
  reply: FastifyReply,
  page: AccountPage,
): Promise<FastifyReply> {
  if (page.words !== undefined) addVary(reply, "accept-language");
  reply.header("content-language", (page.words ?? english).language);
  const localised = /<(?:time|data) /.test(page.content) ? ["locale.js" as const] : [];
  const scripts = [...(page.scripts ?? []), ...localised];
  const framed = { ...page, scripts, styles: ["accounts.css" as const] };
  const document = frame(framed, facts, await pages(), request.person ?? undefined);
  return reply.type("text/html; charset=utf-8").send(document);
}
