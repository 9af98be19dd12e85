import type { Applicant } from "@faceline/accounts/people/applicants";
import type { Facts } from "../facts.ts";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { errorNote, field } from "./form.ts";
import { instant } from "./instant.ts";
import { type LimitValues, limitErrors, limitInputs } from "./limits-form.ts";

/** The people who wait, the oldest first. */
export const waitingPage = ({ entries, total, flash }: WaitingView): AccountPage =>
  adminPage({
    path: "/admin",
    title: "Waitlist",
    flash,
    content: html`<h1>Waitlist</h1>
!${markup(entries.length === 0 ? nobodyWaits() : waitingList(entries))}
!${markup(total > entries.length ? moreWait(total - entries.length) : nothing)}`,
  });

const nobodyWaits = (): Html =>
  html`<div class="panel"><h2>Nobody is waiting for approval</h2>
<p class="dim">People join at <a href="/waitlist">/waitlist</a>, or you add them at <a href="/admin/people">People</a>.</p></div>`;

const waitingList = (entries: ListedEntry[]): Html => html`<ul class="waiting">
!${each(
  entries,
  ({ id, entry }) => html`<li>
<h2>${entry.email}</h2>
!${history(entry)}!${writtenText(entry)}
<p class="decide"><a href="/admin/waitlist/${id}" aria-label="Approve or decline ${entry.email}">Approve or decline</a></p></li>
`,
)}</ul>`;

const moreWait = (count: number): Html =>
  html`<p class="note">${formatCount(count)} more are waiting. They appear as you approve or decline these.</p>`;

/** The dates of the form, and what was decided about the person before. */
const history = ({ joinedAt, sentAgainAt, network, team, declinedAt }: Applicant): Html =>
  html`<p class="dim">Joined !${instant(joinedAt)}!${markup(sentAgainAt === undefined ? nothing : html`, sent again !${instant(sentAgainAt)}`)}!${markup(network === undefined ? nothing : html`, from the network ${network}`)}</p>
!${markup(team === null ? nothing : memberNote(team))}!${markup(declinedAt === null ? nothing : declinedNote(declinedAt))}`;

const memberNote = (team: string): Html =>
  html`<p class="note">They are a member of <a href="/admin/teams/${team}">${team}</a> already. Approving them again creates a new
sign-in link. Declining only takes them off the waitlist.</p>
`;

const declinedNote = (at: number): Html => html`<p class="note">They were declined !${instant(at)}.</p>
`;

const writtenText = ({ text, firstText }: Applicant): Html =>
  html`!${markup(text === "" ? html`<p class="dim">No text.</p>` : html`<p class="written">${text}</p>`)}!${markup(firstText === undefined || firstText === text ? nothing : earlier(firstText))}`;

/** Somebody else may have sent the form again: the first text belongs to whoever was first. */
const earlier = (text: string): Html => html`
<details>
<summary>What was sent first</summary>
<p class="written">${text}</p>
</details>`;

/** A person who waits, to be approved or declined. `joins`: the team that was sent exists. */
export const entryPage = ({ id, entry, form, facts }: EntryView): AccountPage =>
  adminPage({
    path: `/admin/waitlist/${id}`,
    title: `Approve ${entry.email}`,
    alert: errorNote([
      { name: "team", label: "Team", error: form.teamError },
      ...limitErrors(form.limitErrors),
      { name: "limits", label: limitsLabel, error: form.limitsError },
    ]),
    content: html`<div class="heading">
<h1>${entry.email}</h1>
!${history(entry)}</div>
!${writtenText(entry)}
<section aria-labelledby="approve">
<h2 id="approve">Approve</h2>
<p>They become a member of a team and get a sign-in link. Members manage all keys of their team.</p>
<form method="post" action="/admin/waitlist/${id}/approve" class="form">
!${field({ name: "team", label: "Team", hint: "Letters, digits, dots, dashes or underscores. An unknown name creates a new team.", max: 64, required: true, value: form.team, error: form.teamError })}
!${markup(form.joins ? joinBox(form.team) : nothing)}
<details id="limits"!${markup(hasLimits(form) ? openState() : nothing)}>
<summary>${limitsLabel}</summary>
<div class="form">
<p class="hint">Leave them empty for an existing team: change its limits on its own page.</p>
!${markup(form.limitsError === undefined ? nothing : limitsErrorNote(form.limitsError, form.team))}!${limitInputs({ values: form.limits, errors: form.limitErrors, facts })}</div>
</details>
<button class="button">Approve</button>
</form>
</section>
<section aria-labelledby="decline">
<h2 id="decline">Decline</h2>
<details>
<summary>Take them off the waitlist</summary>
<form method="post" action="/admin/waitlist/${id}/decline" class="form">
<p>Their text is deleted. They are not notified, and may join again.</p>
<button class="button quiet danger">Decline</button>
</form>
</details>
</section>`,
  });

const limitsLabel = "Limits of a new team";

const hasLimits = ({ limits }: ApprovalForm): boolean =>
  Object.values(limits).some((value) => value !== undefined && value.trim() !== "");

const limitsErrorNote = (
  error: string,
  team: string,
): Html => html`<p class="error">${error} <a href="/admin/teams/${team}">Limits of ${team}</a></p>
`;

const openState = (): Html => html` open`;

/** Somebody may have entered the name of a team that is not theirs. */
export const joinBox = (team: string): Html => html`<div class="check">
<input type="checkbox" id="join" name="join" value="${team}">
<label for="join">Add them to the existing team ${team}: they will see its keys and can revoke them</label>
</div>`;

type ListedEntry = { id: string; entry: Applicant };
type WaitingView = { entries: ListedEntry[]; total: number; flash?: string | undefined };
type EntryView = ListedEntry & { form: ApprovalForm; facts: Facts };

export type ApprovalForm = {
  team: string;
  teamError?: string | undefined;
  joins: boolean;
  limits: LimitValues;
  limitErrors?: LimitValues | undefined;
  /** Limits were sent for a team that exists. */
  limitsError?: string | undefined;
};
