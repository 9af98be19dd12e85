import { formatCount } from "../format.ts";
import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { keyAction, keyPrefix, keyTable, type KeyView, lastUse } from "./key-view.ts";

/** The keys of a team, as its members see them. */
export function teamKeysSection({ team, keys, now }: TeamKeysView): Html {
  const { shown, leftOut } = shownKeys(keys, now);
  const actions = (key: KeyView): Html =>
    isValid(key, now) ? keyAction(`/admin/teams/${team}/keys/${key.id}/revoke`, "Revoke", key.name) : nothing;
  return html`<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
!${markup(keys.length === 0 ? noKeys() : keyTable({ keys: shown, now, actions }))}
!${markup(leftOut === 0 ? nothing : leftOutNote(team, leftOut))}
</section>
`;
}

const noKeys = (): Html =>
  html`<p class="note">This team has no key. Its members create keys on their dashboard.</p>`;

const leftOutNote = (
  team: string,
  count: number,
): Html => html`<p class="dim">${formatCount(count)} more are not
shown. <code>npm run keys -- list --team ${team}</code> lists all of them.</p>`;

/** Asks whether a key of a team is to be revoked. */
export const revokeTeamKeyPage = ({ team, key }: { team: string; key: KeyView }): AccountPage =>
  adminPage({
    path: `/admin/teams/${team}/keys`,
    title: `Revoke ${key.name}?`,
    content: html`<h1>Revoke “${key.name}” of ${team}?</h1>
<p class="lead">Requests with this key are refused at once. This cannot be undone: the team needs another key to continue.</p>
<p>!${keyPrefix(key)}, last used: !${lastUse(key)}. The audit log will name you.</p>
<form method="post" action="/admin/teams/${team}/keys/${key.id}/revoke" class="form actions">
<button class="button danger">Revoke the key</button>
<a class="button quiet" href="/admin/teams/${team}">Cancel</a>
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
