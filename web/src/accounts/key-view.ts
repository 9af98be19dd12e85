import { each, type Html, html, markup } from "../html.ts";
import { instant } from "./instant.ts";

/** Whether a key is accepted, in words. */
function keyState({ disabled, expiresAt }: KeyView, now: number): Html {
  if (disabled) return html`<span class="dim">revoked</span>`;
  if (expiresAt === undefined) return html`valid`;
  if (expiresAt <= now) return html`<span class="dim">replaced</span>`;
  return html`replaced: valid until !${markup(instant(expiresAt))}`;
}

/** Returns a table of keys. `change` names the last column, whose cell for a key `changeLink` returns. */
export const keyTable = ({ keys, now, change, changeLink }: KeyTable): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Table of keys"><table class="keys">
<thead><tr><th>Name</th><th>State</th><th>Key</th><th>Created</th><th>Last used</th><th class="change"><span class="visually-hidden">${change}</span></th></tr></thead>
<tbody>!${each(
    keys,
    (key) => html`<tr>
<th scope="row">${key.name}</th>
<td>!${keyState(key, now)}</td>
<td>!${keyPrefix(key)}</td>
<td>!${instant(key.createdAt)}</td>
<td>!${lastUse(key)}</td>
<td class="change">!${markup(changeLink(key))}</td>
</tr>
`,
  )}</tbody>
</table></div>
<p class="dim">“Last used” is up to a minute behind: “never” may be a key whose first request was just made.</p>`;

export const keyPrefix = ({ prefix }: KeyView): Html => html`<code>${prefix ?? "?"}…</code>`;

export const lastUse = ({ lastUsedAt }: KeyView): Html =>
  lastUsedAt === null ? html`never` : instant(lastUsedAt);

type KeyTable = { keys: KeyView[]; now: number; change: string; changeLink(key: KeyView): Html };

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
