import type { Person } from "@faceline/accounts/people/person";
import type { OpenLink } from "@faceline/accounts/people/sign-in-link";
import { codeBlock } from "../docs/code-block.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { linkSection } from "./admin-link-pages.ts";
import { adminPage } from "./admin-page.ts";
import { cardTable, type Column } from "../card-table.ts";
import { joinBox } from "./admin-waitlist-pages.ts";
import { errorNote, field } from "./form.ts";
import { instant } from "./instant.ts";

/** Everybody who may sign in, and a form to add somebody. */
export const peoplePage = ({ people, form }: PeopleView): AccountPage =>
  adminPage({
    path: "/admin/people",
    title: "People",
    alert: errorNote([
      { name: "email", label: "Email", error: form.emailError },
      { name: "team", label: "Team", error: form.teamError },
    ]),
    content: html`<h1>People</h1>
!${cardTable({ label: "People", columns: peopleColumns, rows: people })}
<section class="panel split" aria-labelledby="add">
<div><h2 id="add">Add somebody</h2>
<p class="dim">They do not have to be on the waitlist.</p></div>
<form method="post" action="/admin/people" class="form">
!${field({ name: "email", label: "Email", type: "email", max: 254, required: true, value: form.email, error: form.emailError })}
!${field({ name: "team", label: "Team", hint: "An unknown name creates a new team.", max: 64, required: true, value: form.team, error: form.teamError })}
!${markup(form.joins ? joinBox(form.team ?? "") : nothing)}
<button class="button">Add</button>
</form>
</section>`,
  });

const peopleColumns: Column<ListedPerson>[] = [
  {
    head: "Email",
    type: "name",
    content: ({ id, person }) => html`<a href="/admin/people/${id}">${person.email}</a>`,
  },
  { head: "Team", content: ({ person: { team } }) => html`<a href="/admin/teams/${team}">${team}</a>` },
  { head: "Role", content: ({ person }) => html`${person.role}` },
  { head: "Added", content: ({ person }) => instant(person.createdAt) },
];

/** A person, with what an operator can do for them. */
export const personPage = ({
  id,
  person,
  sessions,
  isReader,
  openLinks,
  hours,
  flash,
}: PersonView): AccountPage =>
  adminPage({
    path: `/admin/people/${id}`,
    title: person.email,
    flash,
    content: html`<div class="heading">
<h1>${person.email}</h1>
<p class="dim">!${markup(roleText(person))} of <a href="/admin/teams/${person.team}">${person.team}</a>, since
!${markup(instant(person.createdAt))}</p>
</div>
!${linkSection({ id, open: openLinks, hours })}
<section aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
!${markup(sessions.length === 0 ? html`<p>They are not signed in anywhere.</p>` : sessionList(id, sessions, isReader))}
</section>
!${markup(person.role === "operator" ? nothing : operatorSection(id))}
<section aria-labelledby="forget">
<h2 id="forget">Remove</h2>
<p>To delete all data of this person, run this command on the host of the service. The keys of their team stay valid.</p>
!${codeBlock({ caption: "Shell", label: "Command that removes them", code: `npm run keys -- forget --email ${person.email}`, language: "curl" })}
</section>`,
    scripts: ["code.js"],
  });

const roleText = ({ role }: Person): Html =>
  role === "operator" ? html`Operator, and member` : html`Member`;

const sessionList = (id: string, sessions: SessionView[], isReader: boolean): Html => html`<ul>
!${each(
  sessions,
  ({
    createdAt,
    seenAt,
  }) => html`<li>since !${markup(instant(createdAt))}, last used within a day of !${markup(instant(seenAt))}</li>
`,
)}</ul>
!${markup(isReader ? ownSessionsNote() : nothing)}<form method="post" action="/admin/people/${id}/sessions" class="form actions">
<button class="button quiet danger">End all sessions</button>
</form>`;

const ownSessionsNote =
  (): Html => html`<p class="note">These are your own sessions, including this one. To sign in again you need a sign-in link
from another operator or from <code>npm run keys -- operator</code>.</p>
`;

const operatorSection = (id: string): Html => html`<section aria-labelledby="operator">
<h2 id="operator">Operator</h2>
<details>
<summary>Make them an operator</summary>
<form method="post" action="/admin/people/${id}/operator" class="form">
<p>Operators approve people, set limits and see all teams. To undo this, run <code>npm run keys -- member</code>.</p>
<button class="button quiet danger">Make them an operator</button>
</form>
</details>
</section>`;

type ListedPerson = { id: string; person: Person };
type SessionView = { createdAt: number; seenAt: number };
/** `hours`: how long a sign-in link is valid. */
type PersonView = ListedPerson & {
  sessions: SessionView[];
  /** Whether they read the page themselves. */
  isReader: boolean;
  openLinks: OpenLink[];
  hours: number;
  flash?: string | undefined;
};
type PeopleView = { people: ListedPerson[]; form: PersonForm };

export type PersonForm = {
  email?: string | undefined;
  emailError?: string | undefined;
  team?: string | undefined;
  teamError?: string | undefined;
  joins?: boolean;
};
