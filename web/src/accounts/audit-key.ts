import { type Html, html } from "../html.ts";

/**
 * Returns a key as its team knows it: its name now, and its first characters. The id of a key that cannot be
 * looked up, as in entries of older releases, is shown as it is.
 */
export function auditKeyText(id: string, keys: AuditKey[]): Html {
  const key = keys.find((each) => each.id === id);
  if (key === undefined) return html`<code>${id}</code>`;
  return html`“${key.name}” <code>${key.prefix ?? "?"}…</code>`;
}

export type AuditKey = { id: string; name: string; prefix?: string | undefined };
