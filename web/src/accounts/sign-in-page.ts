import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import { fill } from "../words/fill.ts";
import type { Words } from "../words/language.ts";
import { linkedText } from "../words/linked-text.ts";
import type { AccountPage } from "./account-page.ts";
import { field } from "./form.ts";

/** `mailed`: false if no mail server is set: then there is no form. */
export function signInPage(words: Words, state: SignInState): AccountPage {
  const { mailed, isSignedOut, offersWaitlist, email, error } = state;
  const text = words.signIn;
  const lead = `${isSignedOut === true ? `${text.signedOut} ` : ""}${mailed ? text.lead : text.withoutMail}`;
  return signInFrame(
    words,
    text.title,
    html`<p class="lead">!${linkedText(lead)}</p>
!${markup(mailed ? mailForm(text, email, error) : nothing)}
!${markup(offersWaitlist ? html`<p class="dim">!${linkedText(text.noAccount)}</p>` : nothing)}`,
  );
}

const signInFrame = (words: Words, title: string, content: Html): AccountPage => ({
  path: "/sign-in",
  title,
  description: words.signIn.description,
  words,
  content: html`<div class="prose panel">
<h1>${title}</h1>
!${markup(content)}
</div>`,
});

const mailForm = (
  text: SignInWords,
  email: string | undefined,
  error: string | undefined,
): Html => html`<form method="post" action="/sign-in" class="form">
!${field({ name: "email", label: text.email, type: "email", autocomplete: "email", max: 254, required: true, value: email, error })}
<button class="button">${text.submit}</button>
</form>`;

/** The same for every email, so that it does not reveal who has an account. */
export function signInSentPage(words: Words, { hours }: { hours: number }): AccountPage {
  const { language, signIn: text } = words;
  const duration = hours.toLocaleString(language, { style: "unit", unit: "hour", unitDisplay: "long" });
  return signInFrame(
    words,
    text.sent,
    html`<p class="lead">${fill(text.sentLead, { duration })}</p>
<ul>
<li>!${linkedText(text.sentNothing)}</li>
<li>!${linkedText(text.sentUnknown)}</li>
</ul>`,
  );
}

/** The page of a sign-in link. Only the button signs in: programs that scan mails open links too. */
export function openedLinkPage(words: Words, { token, team, email, signedInAs }: OpenedLink): AccountPage {
  const text = words.signIn;
  return signInFrame(
    words,
    fill(text.openTitle, { team }),
    html`<p class="lead">${fill(text.openLead, { email })}</p>
!${presentSession(text, signedInAs, email)}<form method="post" action="/sign-in/${token}" class="form">
<button class="button">${text.openSubmit}</button>
</form>
<p class="dim">${text.openCookie}</p>`,
  );
}

/** Tells somebody who is signed in what the button does to their session. */
function presentSession(text: SignInWords, signedInAs: string | undefined, email: string): Html {
  if (signedInAs === undefined) return nothing;
  return signedInAs === email
    ? html`<p class="note">${fill(text.alreadySignedIn, { email })} !${linkedText(text.toDashboard)}</p>
`
    : html`<p class="note">${fill(text.otherSession, { current: signedInAs, email })}</p>
`;
}

/**
 * The page of a link that was used, cancelled, is too old, or never was one: it does not say which.
 * `signedIn`: whose session this browser has, and the page of their role.
 */
export const deadLinkPage = (words: Words, { mailed, signedIn }: DeadLink): AccountPage =>
  signInFrame(
    words,
    words.signIn.dead,
    html`<p class="lead">${words.signIn.deadLead}</p>
!${ownSession(words, signedIn)}!${markup(mailed ? newLink(words.signIn) : html`<p>${words.signIn.deadWithoutMail}</p>`)}`,
  );

const newLink = (text: SignInWords): Html => html`<p>${text.deadNext}</p>
<p class="actions"><a class="button" href="/sign-in">${text.deadSubmit}</a></p>`;

function ownSession({ siteFrame, signIn: text }: Words, signedIn: SignedIn | undefined): Html {
  if (signedIn === undefined) return nothing;
  const { email, home } = signedIn;
  return html`<p class="note">${fill(siteFrame.signedInAs, { email })}. !${linkedText(home === "/admin" ? text.toAdmin : text.toDashboard)}</p>
`;
}

type SignInWords = Words["signIn"];
type SignedIn = { email: string; home: "/admin" | "/dashboard" };
type SignInState = {
  mailed: boolean;
  isSignedOut?: boolean;
  offersWaitlist: boolean;
  email?: string | undefined;
  error?: string | undefined;
};
/** `signedInAs`: whose session this browser has. */
type OpenedLink = { token: string; team: string; email: string; signedInAs: string | undefined };
type DeadLink = { mailed: boolean; signedIn: SignedIn | undefined };
