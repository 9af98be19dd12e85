import { type Html, html, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { field } from "./form.ts";

const page = {
  path: "/sign-in",
  title: "Sign in",
  description: "Sign in with a link that is mailed to you.",
};

/** `mailed`: false if no mail server is set: then there is no form. */
export const signInPage = ({ mailed, notice, email, error }: SignInState): AccountPage => ({
  ...page,
  content: html`<div class="prose">
<h1>Sign in</h1>
!${noticeText(notice)}!${wayIn({ mailed, email, error })}
<p>No account yet? <a href="/waitlist">Join the waitlist</a>.</p>
</div>`,
});

const wayIn = ({ mailed, email, error }: SignInState): Html =>
  mailed ? mailForm(email, error) : withoutMail();

const mailForm = (
  email: string | undefined,
  error: string | undefined,
): Html => html`<p class="lead">There is no password. You get a sign-in link by mail.</p>
<form method="post" action="/sign-in" class="form">
!${field({ name: "email", label: "Email", type: "email", autocomplete: "email", max: 254, required: true, value: email, error })}
<button class="button">Send me a sign-in link</button>
</form>`;

const withoutMail =
  (): Html => html`<p class="lead">There is no password. You sign in with a link that works once.</p>
<p class="note">This service sends no mail. Ask its operator for a sign-in link, and open it in this browser.</p>
<p class="dim">Do you run this service? <code>npm run keys -- sign-in-address --email YOU</code> prints one for you.</p>`;

function noticeText(notice: SignInState["notice"]): Html {
  if (notice === undefined) return nothing;
  return html`<p class="note" role="status">${notices[notice]}</p>
`;
}

const notices = {
  ended: "You are signed out, or your session has ended. Sign in to go on.",
  signed_out: "You are signed out.",
};

/** The same for every email: whether somebody has it is nobody's business. */
export const signInSentPage = ({ hours }: { hours: number }): AccountPage => ({
  ...page,
  title: "Check your mail",
  content: html`<div class="prose">
<h1>Check your mail</h1>
<p class="lead">If this email belongs to an approved person, a sign-in link is on its way. It works once, for
${hours} hours.</p>
<ul>
<li>Nothing there after a few minutes? Look in your spam folder, or <a href="/sign-in">ask again</a>.</li>
<li>Not approved yet? <a href="/waitlist">Join the waitlist</a>.</li>
</ul>
</div>`,
});

/** The page of a sign-in link. Only the button signs in: programs that scan mails open links too. */
export const openedAddressPage = ({ token, team, email, signedInAs }: OpenedAddress): AccountPage => ({
  ...page,
  title: `Sign in to ${team}`,
  content: html`<div class="prose">
<h1>Sign in to ${team}</h1>
<p class="lead">This link signs in ${email}. It works once.</p>
!${presentSession(signedInAs, email)}<form method="post" action="/sign-in/${token}" class="form">
<button class="button">Sign in</button>
</form>
<p class="dim">Signing in sets one cookie, which ends when you sign out.</p>
</div>`,
});

/** Tells somebody who is signed in what the button does to their session. */
function presentSession(signedInAs: string | undefined, email: string): Html {
  if (signedInAs === undefined) return nothing;
  if (signedInAs === email) {
    return html`<p class="note">You are signed in as ${email} already. <a href="/dashboard">Your dashboard</a> needs no link: keep
this one for another browser.</p>
`;
  }
  return html`<p class="note">This browser is signed in as ${signedInAs}. The button ends that session and signs in ${email}. To stay
signed in as ${signedInAs}, leave this page: the link works in another browser, too.</p>
`;
}

/**
 * The page of a link that was used, cancelled, is too old, or never was one: it does not say which.
 * `signedIn`: whose session this browser has, and the page of their role.
 */
export const deadAddressPage = (signedIn: SignedIn | undefined): AccountPage => ({
  ...page,
  title: "This link does not work",
  content: html`<div class="prose">
<h1>This link does not work</h1>
<p class="lead">It has been used, was cancelled, is too old, or was not copied completely.</p>
!${ownSession(signedIn)}<p class="actions"><a class="button" href="/sign-in">How to get a new one</a></p>
</div>`,
});

function ownSession(signedIn: SignedIn | undefined): Html {
  if (signedIn === undefined) return nothing;
  const { email, home } = signedIn;
  const title = home === "/admin" ? "the admin pages" : "your dashboard";
  return html`<p class="note">You are signed in as ${email}. Go to <a href="${home}">${title}</a>.</p>
`;
}

type SignedIn = { email: string; home: "/admin" | "/dashboard" };
type SignInState = {
  mailed: boolean;
  notice?: keyof typeof notices | undefined;
  email?: string | undefined;
  error?: string | undefined;
};
/** `signedInAs`: whose session this browser has. */
type OpenedAddress = { token: string; team: string; email: string; signedInAs: string | undefined };
