import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { instant } from "./instant.ts";
import { type KeyView, keyState, lastUseHint } from "./key-view.ts";

/** The keys of a team, as its members see them. */
export function teamKeysSection({ team, keys, now }: TeamKeysView): Html {
  const { shown, leftOut } = shownKeys(keys, now);
  return html`<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
!${markup(keys.length === 0 ? noKeys() : keyTable(team, shown, now))}
!${markup(leftOut === 0 ? nothing : leftOutNote(team, leftOut))}
</section>
`;
}

const noKeys = (): Html =>
  html`<p class="note">This team has no key. Its members make keys on their dashboard.</p>`;

const leftOutNote = (
  team: string,
  count: number,
): Html => html`<p class="dim">${formatCount(count)} more are left
out. <code>npm run keys -- list --team ${team}</code> shows all.</p>`;

const keyTable = (
  team: string,
  keys: KeyView[],
  now: number,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Table of keys"><table class="keys">
<thead><tr><th>Name</th><th>State</th><th>Key</th><th>Created</th><th>Last used</th><th class="change"><span class="visually-hidden">Revoke</span></th></tr></thead>
<tbody>!${each(keys, (key) => keyRow(team, key, now))}</tbody>
</table></div>
!${lastUseHint()}`;

const keyRow = (team: string, key: KeyView, now: number): Html => html`<tr>
<th scope="row">${key.name}</th>
<td>!${keyState(key, now)}</td>
<td><code>${key.prefix ?? "?"}…</code></td>
<td>!${instant(key.createdAt)}</td>
<td>!${lastUse(key)}</td>
<td class="change">!${markup(isValid(key, now) ? revokeLink(team, key) : nothing)}</td>
</tr>
`;

const revokeLink = (team: string, { id, name }: KeyView): Html =>
  html`<a href="/admin/teams/${team}/keys/${id}/revoke" aria-label="Revoke ${name}">Revoke</a>`;

const lastUse = ({ lastUsedAt }: KeyView): Html =>
  lastUsedAt === null ? html`never` : html`!${instant(lastUsedAt)}`;

/** Asks whether a key of a team is to be revoked. */
export const revokeTeamKeyPage = ({ team, key }: { team: string; key: KeyView }): AccountPage =>
  adminPage({
    path: `/admin/teams/${team}/keys`,
    title: `Revoke ${key.name}?`,
    content: html`<h1>Revoke “${key.name}” of ${team}?</h1>
<p class="lead">Requests with this key are refused at once. This cannot be undone: the team needs another key to go on.</p>
<p><code>${key.prefix ?? "?"}…</code>, last used: !${lastUse(key)}. The audit log will name you.</p>
<form method="post" action="/admin/teams/${team}/keys/${key.id}/revoke" class="form actions">
<button class="button danger">Revoke the key</button>
<a class="button quiet" href="/admin/teams/${team}">Keep it</a>
</form>`,
  });

/** Valid keys first, then the others; of both the newest first. */
function shownKeys(keys: KeyView[], now: number): { shown: KeyView[]; leftOut: number } {
  const newest = keys.toSorted((a, b) => b.createdAt - a.createdAt);
  const ordered = [
    ...newest.filter((key) => isValid(key, now)),
    ...newest.filter((key) => !isValid(key, now)),
  ];
  return { shown: ordered.slice(0, keysShownMax), leftOut: Math.max(0, ordered.length - keysShownMax) };
}

const keysShownMax = 50;

const isValid = ({ disabled, expiresAt }: KeyView, now: number): boolean =>
  !disabled && (expiresAt === undefined || now < expiresAt);

type TeamKeysView = { team: string; keys: KeyView[]; now: number };
