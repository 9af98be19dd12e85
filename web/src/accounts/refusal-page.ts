import { type Html, html, markup, nothing } from "../html.ts";
import type { Words } from "../words/language.ts";
import { linkedText } from "../words/linked-text.ts";
import type { AccountPage } from "./account-page.ts";
import { instant } from "./instant.ts";

/** The page of a request that was refused. */
export function refusalPage(words: Words, refusal: Refusal): AccountPage {
  const { title, detail } = words.refusals[refusal.reason];
  const text = words.refusalNotes;
  return {
    path: "",
    title,
    description: detail,
    words,
    content: html`<div class="prose">
<h1>${title}</h1>
<p class="lead">${detail}</p>
!${wait(text, refusal)}<ul>
!${markup(refusal.role === "operator" ? listItem(text.admin) : nothing)}!${markup(refusal.role === undefined ? nothing : listItem(text.dashboard))}!${listItem(text.tester)}!${listItem(text.quickStart)}</ul>
<p class="dim">${text.requestId} <code>${refusal.requestId}</code></p>
</div>`,
  };
}

const listItem = (text: string): Html => html`<li>!${linkedText(text)}</li>
`;

function wait(text: Words["refusalNotes"], { retryAfterMs, now }: Refusal): Html {
  if (retryAfterMs === undefined) return nothing;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return html`<p class="note">${text.retry(minutes)} (!${instant(now + minutes * 60_000)}).</p>
`;
}

/** `role`: of who is signed in. `now`: epoch ms. */
type Refusal = {
  reason: keyof Words["refusals"];
  requestId: string;
  now: number;
  retryAfterMs?: number | undefined;
  role?: "member" | "operator" | undefined;
};
