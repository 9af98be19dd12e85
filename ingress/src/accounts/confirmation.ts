import type { FastifyReply, FastifyRequest } from "fastify";
import { type Flash, flashAddress, flashText, isFlash } from "@faceline/web/accounts/flash";
import type { KeyView } from "@faceline/web/accounts/key-view";

/** Redirects to a page that says what was done. Reloading that page does nothing again. */
export const confirm = (reply: FastifyReply, path: string, flash: Flash): FastifyReply =>
  reply.redirect(flashAddress(path, flash), 303);

/**
 * Returns what was done before a page is shown. A link on another site cannot make a page claim something:
 * browsers say by Sec-Fetch-Site where a request comes from.
 */
export function flashOf({ query, headers }: FastifyRequest): Flash | undefined {
  const { done } = query as Record<string, unknown>;
  const site = headers["sec-fetch-site"];
  return isFlash(done) && site !== "cross-site" && site !== "same-site" ? done : undefined;
}

/** Returns what was done to a key of a team; nothing about a key that the team does not have. */
export function keyFlash(request: FastifyRequest, keys: KeyView[]): string | undefined {
  const { key: id } = request.query as Record<string, unknown>;
  const key = keys.find((each) => each.id === id);
  return key && flashText(flashOf(request), key.name);
}
