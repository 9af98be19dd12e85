import { type Html, html, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { field } from "./form.ts";

const page = {
  path: "/sign-in",
  title: "Sign in",
  description: "Sign in with an address that is mailed to you.",
};

/** `mailed`: false where no mail server is set, so that a form would promise what never comes. */
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
): Html => html`<p class="lead">There is no password. You get a mail with an address that signs you in.</p>
<form method="post" action="/sign-in" class="form">
!${field({ name: "email", label: "Email", type: "email", autocomplete: "email", max: 254, required: true, value: email, error })}
<button class="button">Send me a sign-in address</button>
</form>`;

const withoutMail =
  (): Html => html`<p class="lead">There is no password. You sign in with an address that you open once.</p>
<p class="note">This service sends no mail. Ask its operator for a sign-in address, and open it in this browser.</p>
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
  title: "Look into your mail",
  content: html`<div class="prose">
<h1>Look into your mail</h1>
<p class="lead">If this email belongs to an approved person, a sign-in address is on its way. It works once, for
${hours} hours.</p>
<ul>
<li>Nothing there after a few minutes? Look among the unwanted mails, or <a href="/sign-in">ask again</a>.</li>
<li>Not approved yet? <a href="/waitlist">Join the waitlist</a>.</li>
</ul>
</div>`,
});

/** What a sign-in address opens. Only the button signs in: programs that scan mails open addresses too. */
export const openedAddressPage = ({ token, team, email, signedInAs }: OpenedAddress): AccountPage => ({
  ...page,
  title: `Sign in to ${team}`,
  content: html`<div class="prose">
<h1>Sign in to ${team}</h1>
<p class="lead">This address signs in ${email}. It works once.</p>
!${presentSession(signedInAs, email)}<form method="post" action="/sign-in/${token}" class="form">
<button class="button">Sign in</button>
</form>
<p class="dim">Signing in sets one cookie, which ends when you sign out.</p>
</div>`,
});

/** What pressing the button does to the session that this browser has. */
function presentSession(signedInAs: string | undefined, email: string): Html {
  if (signedInAs === undefined) return nothing;
  if (signedInAs === email) {
    return html`<p class="note">You are signed in as ${email} already. <a href="/dashboard">Your dashboard</a> needs no address: this
one can wait for another browser.</p>
`;
  }
  return html`<p class="note">This browser is signed in as ${signedInAs}. The button ends that session and signs in ${email}. To stay
signed in as ${signedInAs}, leave this page: the address works in another browser, too.</p>
`;
}

/**
 * For an address that was used, cancelled, is too old, or never was one: the page does not say which.
 * `signedIn`: whose session this browser has, and the page of their role.
 */
export const deadAddressPage = (signedIn: SignedIn | undefined): AccountPage => ({
  ...page,
  title: "This address does not work",
  content: html`<div class="prose">
<h1>This address does not work</h1>
<p class="lead">It has been used, was cancelled, is too old, or was not copied whole.</p>
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
