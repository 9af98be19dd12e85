import type { OpenLink } from "@faceline/accounts/people/sign-in-link";
import { codeBlock } from "../docs/code-block.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { type Flash, flashAddress } from "./flash.ts";
import { instant } from "./instant.ts";

/** The sign-in links of a person that work, and the forms to make one and to cancel them. */
export const linkSection = ({
  id,
  open,
  hours,
}: LinkSection): Html => html`<section aria-labelledby="address">
<h2 id="address">Sign-in link</h2>
!${markup(open.length === 0 ? html`<p>There is no unused link.</p>` : openList(open))}
<p class="dim">A link signs them in once, within ${hoursText(hours)}, and is shown once. A new link cancels the
others.</p>
<div class="forms">
<form method="post" action="/admin/people/${id}/address" class="form actions">
<input type="hidden" name="seen" value="${newestOf(open)}">
<button class="button">${open.length === 0 ? "Make a sign-in link" : "Make a new sign-in link"}</button>
</form>
!${markup(open.length === 0 ? nothing : cancelForm(id, open.length))}</div>
</section>`;

/** The links that the form's page showed, as a form value, so that sending it twice makes one link. */
export const newestOf = ([newest]: OpenLink[]): string => String(newest?.createdAt ?? "none");

const openList = (
  open: OpenLink[],
): Html => html`<p>${open.length === 1 ? "One link works" : `${open.length} links work`} until
${open.length === 1 ? "it is" : "they are"} used or expired:</p>
<ul>
!${each(
  open,
  ({
    createdAt,
    expiresAt,
  }) => html`<li>created !${instant(createdAt)}, valid until !${instant(expiresAt)}</li>
`,
)}</ul>`;

const cancelForm = (
  id: string,
  count: number,
): Html => html`<form method="post" action="/admin/people/${id}/addresses/cancel" class="form actions">
<button class="button quiet danger">${count === 1 ? "Cancel the link" : "Cancel all links"}</button>
</form>
`;

/** A sign-in link, shown only this once. `later`: what a reload shows. */
export const linkPage = ({ id, title, later, email, team, sent, hours }: LinkView): AccountPage =>
  adminPage({
    path: `/admin/people/${id}/address`,
    title,
    content: html`<h1 data-reload="${flashAddress(`/admin/people/${id}`, later)}">${title}</h1>
!${markup(sent.mailFault === undefined ? nothing : failedMail(sent.mailFault))}
<p class="lead">Send them this link over a private channel. It is shown only now, and works once, within ${hoursText(hours)}.
Do not open it in this browser: its button would sign you in as them.</p>
!${codeBlock({ caption: "Sign-in link", code: sent.address, language: "curl" })}
<ul>
<li><a href="/admin/people/${id}">${email}</a>: create a new link there if this one is lost</li>
<li><a href="/admin/teams/${team}">Limits of ${team}</a></li>
<li><a href="/admin">The waitlist</a></li>
</ul>`,
    scripts: ["code.js", "shown-once.js"],
  });

const failedMail = (sentence: string): Html => html`<p class="note">${sentence}</p>`;

const hoursText = (hours: number): string => (hours === 1 ? "one hour" : `${hours} hours`);

export type SentLink = { kind: "mailed" } | ShownLink;
/** `mailFault`: why it was not mailed, if it should have been. */
type ShownLink = { kind: "shown"; address: string; mailFault?: string };
type LinkSection = { id: string; open: OpenLink[]; hours: number };
type LinkView = {
  id: string;
  title: string;
  later: Flash;
  email: string;
  team: string;
  sent: ShownLink;
  hours: number;
};
