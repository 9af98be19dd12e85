import { type Html, html, markup } from "@faceline/runtime/design/html";
import { cardTable } from "../card-table.ts";
import { instant } from "./instant.ts";

/** Whether a key is accepted, in words. */
function keyState({ disabled, expiresAt }: KeyView, now: number): Html {
  if (disabled) return html`<span class="dim">revoked</span>`;
  if (expiresAt === undefined) return html`valid`;
  if (expiresAt <= now) return html`<span class="dim">rotated</span>`;
  return html`rotated: valid until !${markup(instant(expiresAt))}`;
}

/** Returns a table of keys, each with the links that `actions` returns. */
export const keyTable = ({ keys, now, actions }: KeyTable): Html => html`!${cardTable({
  label: "Table of keys",
  columns: [
    { head: "Name", type: "name", content: ({ name }) => html`${name}` },
    { head: "State", content: (key) => keyState(key, now) },
    { head: "Key", content: keyPrefix },
    { head: "Created", content: ({ createdAt }) => instant(createdAt) },
    { head: "Last used", content: lastUse },
    { head: "Actions", type: "actions", content: actions },
  ],
  rows: keys,
})}
<p class="dim">“Last used” can lag by a minute.</p>`;

/** A link to the confirmation of what a verb does to a key. */
export const keyAction = (address: string, verb: string, name: string): Html =>
  html`<a href="${address}" class="${verb === "Revoke" ? "danger" : ""}" aria-label="${verb} ${name}">${verb}</a>
`;

export const keyPrefix = ({ prefix }: KeyView): Html => html`<code>${prefix ?? "?"}…</code>`;

export const lastUse = ({ lastUsedAt }: KeyView): Html =>
  lastUsedAt === null ? html`never` : instant(lastUsedAt);

type KeyTable = { keys: KeyView[]; now: number; actions(key: KeyView): Html };

/**
 * Instants in epoch milliseconds. `lastUsedAt`: accurate to a minute. `expiresAt`: only for a rotated key.
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
