import { html } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { field } from "./form.ts";

const page = {
  path: "/waitlist",
  title: "Join the waitlist",
  description: "Ask for an API key of this service.",
};

/** The form, with its values and errors if it was sent. */
export const waitlistPage = ({ values = {}, errors = {} }: WaitlistState = {}): AccountPage => ({
  ...page,
  content: html`<div class="prose">
<h1>Join the waitlist</h1>
<p class="lead">Keys are given to people whom the operator of this service has approved. Say who you are and what you
want to build.</p>
<form method="post" action="/waitlist" class="form">
!${field({ name: "email", label: "Email", type: "email", hint: "For your sign-in link, and nothing else. If the service sends no mail, its operator hands you the link.", autocomplete: "email", max: 254, required: true, value: values.email, error: errors.email })}
!${field({ name: "team", label: "Team or company", max: 64, required: true, autocomplete: "organization", value: values.team, error: errors.team })}
!${field({ name: "purpose", label: "What do you want to use it for?", type: "area", hint: "Optional. Two sentences help the operator to decide.", max: 900, value: values.purpose, error: errors.purpose })}
<button class="button">Join the waitlist</button>
</form>
<p class="dim">What you write is kept, with the network that you write from, until you are approved or declined, or until the list
is full. Only the operator reads it. To correct it, send the form again: the first text and the newest one are kept.
After the decision, your email and the time are kept.</p>
</div>`,
});

/** The same for an email that waits already, and for one that has an account. */
export const waitlistJoinedPage = (): AccountPage => ({
  ...page,
  title: "You are on the waitlist",
  content: html`<div class="prose">
<h1>You are on the waitlist</h1>
<p class="lead">The operator of this service reads it. Once you are approved, you get a sign-in link, by mail
or from the operator. To correct what you wrote, <a href="/waitlist">send the form again</a>.</p>
<p>Until then:</p>
<ul>
<li><a href="/">The tester</a> compares two pictures without a key.</li>
<li><a href="/docs/quick-start">The quick start</a> shows what your first call will look like.</li>
</ul>
</div>`,
});

type WaitlistState = {
  values?: Partial<Record<WaitlistField, string | undefined>>;
  errors?: Partial<Record<WaitlistField, string | undefined>>;
};
export type WaitlistField = "email" | "team" | "purpose";
