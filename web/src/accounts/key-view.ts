import { type Html, html, markup } from "../html.ts";
import { instant } from "./instant.ts";

/** Whether a key is accepted, in words. */
export function keyState({ disabled, expiresAt }: KeyView, now: number): Html {
  if (disabled) return html`<span class="dim">revoked</span>`;
  if (expiresAt === undefined) return html`valid`;
  if (expiresAt <= now) return html`<span class="dim">replaced</span>`;
  return html`replaced: valid until !${markup(instant(expiresAt))}`;
}

/** Note below a table of keys. Usage is written sooner, so that a key may have calls and no use yet. */
export function lastUseHint(): Html {
  return html`<p class="dim">“Last used” is up to a minute behind: “never” may be a key whose first call was just made.</p>
`;
}

/**
 * Instants in epoch milliseconds. `lastUsedAt`: accurate to a minute. `expiresAt`: of a key that another one
 * replaces.
 */
export type KeyView = {
  id: string;
  name: string;
  prefix?: string | undefined;
  createdAt: number;
  lastUsedAt: number | null;
  disabled: boolean;
  expiresAt?: number | undefined;
};
