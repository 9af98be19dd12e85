import { each, html } from "@faceline/runtime/design/html";
import type { Words } from "../words/language.ts";
import { linkedText } from "../words/linked-text.ts";
import type { AccountPage } from "./account-page.ts";
import { field } from "./form.ts";

/** The form, with its values and errors if it was sent. */
export function waitlistPage(words: Words, { values = {}, errors = {} }: WaitlistState = {}): AccountPage {
  const text = words.waitlist;
  return {
    path: "/waitlist",
    title: text.title,
    description: text.description,
    words,
    content: html`<div class="panel split">
<div class="prose">
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
<form method="post" action="/waitlist" class="form">
!${field({ name: "email", label: text.email, type: "email", hint: text.emailHint, autocomplete: "email", max: 254, required: true, value: values.email, error: errors.email })}
!${field({ name: "team", label: text.team, max: 64, required: true, autocomplete: "organization", value: values.team, error: errors.team })}
!${field({ name: "purpose", label: text.purpose, type: "area", hint: text.purposeHint, max: 900, value: values.purpose, error: errors.purpose })}
<button class="button">${text.submit}</button>
</form>
</div>
<section class="prose" aria-labelledby="next">
<h2 id="next">${text.next}</h2>
<ol>!${each(text.steps, (step) => html`<li>${step}</li>`)}</ol>
<p class="dim">${text.retention}</p>
</section>
</div>`,
  };
}

/** The same for an email that waits already, and for one that has an account. */
export function waitlistJoinedPage(words: Words): AccountPage {
  const text = words.waitlist;
  return {
    path: "/waitlist",
    title: text.joined,
    description: text.description,
    words,
    content: html`<div class="prose panel">
<h1>${text.joined}</h1>
<p class="lead">!${linkedText(text.joinedLead)}</p>
<p>${text.meanwhile}</p>
<ul>
<li>!${linkedText(text.tester)}</li>
<li>!${linkedText(text.quickStart)}</li>
</ul>
</div>`,
  };
}

type WaitlistState = {
  values?: Partial<Record<WaitlistField, string | undefined>>;
  errors?: Partial<Record<WaitlistField, string | undefined>>;
};
export type WaitlistField = "email" | "team" | "purpose";
