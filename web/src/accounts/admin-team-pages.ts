import type { TeamSummary } from "@faceline/accounts/people/teams";
import type { Facts } from "../facts.ts";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { cardTable, type Column } from "../card-table.ts";
import { count } from "./count.ts";
import { errorNote } from "./form.ts";
import { type LimitValues, limitErrors, limitInputs, type LimitText, limitTexts } from "./limits-form.ts";

export const teamsPage = ({ teams, facts }: { teams: TeamSummary[]; facts: Facts }): AccountPage =>
  adminPage({
    path: "/admin/teams",
    title: "Teams",
    content: html`<h1>Teams</h1>
!${markup(teams.length === 0 ? noTeams() : teamTable(teams, facts))}
<p class="dim">Limits in italics are defaults of the service. A team begins with its first approved member.</p>`,
  });

const noTeams = (): Html => html`<p class="note">There are no teams yet. The first approval creates one.</p>`;

const teamTable = (teams: TeamSummary[], facts: Facts): Html =>
  cardTable<TeamSummary>({
    label: "Teams",
    columns: [
      { head: "Team", type: "name", content: ({ team }) => html`<a href="/admin/teams/${team}">${team}</a>` },
      { head: "People", type: "number", content: ({ people }) => count(people) },
      { head: "Valid keys", type: "number", content: ({ keys }) => count(keys) },
      ...limitTexts({}, facts).map(
        ({ label }, index): Column<TeamSummary> => ({
          head: label,
          type: "number",
          content: ({ limits }) => limitText(limitTexts(limits, facts)[index]!),
        }),
      ),
    ],
    rows: teams,
  });

const limitText = ({ text, isOwn }: LimitText): Html => (isOwn ? html`${text}` : html`<i>${text}</i>`);

/** The people of a team, ordered by email, as far as a page goes. */
export function teamPeopleSection(people: TeamPerson[]): Html {
  const shown = people.slice(0, peopleShownMax);
  const leftOut = people.length - shown.length;
  return html`<section aria-labelledby="people">
<h2 id="people">People</h2>
!${markup(people.length === 0 ? html`<p class="note">Nobody is in this team.</p>` : peopleTable(shown))}
!${markup(leftOut === 0 ? nothing : html`<p class="dim">${formatCount(leftOut)} more are not shown. <a href="/admin/people">People</a> lists everybody.</p>`)}
</section>
`;
}

const peopleTable = (people: TeamPerson[]): Html =>
  cardTable({
    label: "People of the team",
    columns: [
      {
        head: "Email",
        type: "name",
        content: ({ id, email }) => html`<a href="/admin/people/${id}">${email}</a>`,
      },
      { head: "Role", content: ({ role }) => html`${role}` },
    ],
    rows: people,
  });

const peopleShownMax = 50;

type TeamPerson = { id: string; email: string; role: "member" | "operator" };

/**
 * A team with the form of its limits, which says what they were when it was shown. `isStale`: somebody else
 * changed them before the form came. `sections`: more about the team, above the limits.
 */
export const teamPage = ({ team, values, errors, isStale, flash, sections, facts }: TeamView): AccountPage =>
  adminPage({
    path: `/admin/teams/${team.team}`,
    title: team.team,
    flash,
    alert: errorNote([
      ...limitErrors(errors),
      { name: "limits", label: "Limits", error: isStale === true ? staleLimits : undefined },
    ]),
    content: html`<div class="heading">
<h1>${team.team}</h1>
<p class="dim">${team.people} ${team.people === 1 ? "person" : "people"}, ${team.keys} valid
${team.keys === 1 ? "key" : "keys"}</p>
</div>
!${each(
      sections,
      (section) => html`!${markup(section)}
`,
    )}<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
<p>All keys of the team share them. Changes apply at once.</p>
<form method="post" action="/admin/teams/${team.team}" class="form">
<input type="hidden" name="seen" value="${JSON.stringify(team.limits)}">
!${limitInputs({ values, errors, facts })}
<button class="button">Save the limits</button>
</form>
</section>`,
  });

const staleLimits =
  "Somebody else changed them after you opened this page. They now show the current values: make your change again.";

type TeamView = {
  team: TeamSummary;
  values: LimitValues;
  errors?: LimitValues | undefined;
  isStale?: boolean;
  flash?: string | undefined;
  sections: Html[];
  facts: Facts;
};
