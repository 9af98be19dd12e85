import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import { fill } from "../words/fill.ts";
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
!${wait(words, refusal)}<ul>
!${markup(refusal.role === "operator" ? listItem(text.admin) : nothing)}!${markup(refusal.role === undefined ? nothing : listItem(text.dashboard))}!${listItem(text.tester)}!${listItem(words.missingPage.quickStart)}</ul>
<p class="dim">${text.requestId} <code>${refusal.requestId}</code></p>
</div>`,
  };
}

const listItem = (text: string): Html => html`<li>!${linkedText(text)}</li>
`;

function wait({ language, refusalNotes: text }: Words, { retryAfterMs, now }: Refusal): Html {
  if (retryAfterMs === undefined) return nothing;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  const duration = minutes.toLocaleString(language, { style: "unit", unit: "minute", unitDisplay: "long" });
  return html`<p class="note">${fill(text.retry, { duration })} (!${instant(now + minutes * 60_000)}).</p>
`;
}

/** `role`: that of the person who is signed in. `now`: epoch ms. */
type Refusal = {
  reason: keyof Words["refusals"];
  requestId: string;
  now: number;
  retryAfterMs?: number | undefined;
  role?: "member" | "operator" | undefined;
};
