import { type Html, html } from "@faceline/runtime/design/html";

/** Returns an instant, in epoch milliseconds, as `2026-11-21 09:30 UTC`; ../browser/locale.ts rewrites it. */
export function instant(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}
