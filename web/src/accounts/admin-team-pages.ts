import type { TeamSummary } from "@faceline/accounts/people/teams";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { Facts } from "../facts.ts";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { errorNote } from "./form.ts";
import { type LimitValues, limitErrors, limitInputs, limitTexts } from "./limits-form.ts";

export const teamsPage = ({ teams, facts }: { teams: TeamSummary[]; facts: Facts }): AccountPage =>
  adminPage({
    path: "/admin/teams",
    title: "Teams",
    content: html`<h1>Teams</h1>
!${markup(teams.length === 0 ? noTeams() : teamTable(teams, facts))}
<p class="dim">Limits in italics are the service's defaults. A team is made when its first member is approved.</p>`,
  });

const noTeams = (): Html => html`<p class="note">There is no team yet. The first approval makes one.</p>`;

const teamTable = (
  teams: TeamSummary[],
  facts: Facts,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Teams"><table class="keys">
<thead><tr><th>Team</th><th class="number">People</th><th class="number">Valid keys</th><th class="number">Requests per second</th>
<th class="number">Burst</th><th class="number">In flight</th><th class="number">Body bytes per second</th></tr></thead>
<tbody>!${each(teams, (team) => teamRow(team, facts))}</tbody>
</table></div>`;

const teamRow = ({ team, limits, people, keys }: TeamSummary, facts: Facts): Html => html`<tr>
<th scope="row"><a href="/admin/teams/${team}">${team}</a></th>
<td class="number">${people}</td>
<td class="number">${keys}</td>
!${limitCells(limits, facts)}</tr>
`;

const limitCells = (limits: LimitOverrides, facts: Facts): Html =>
  each(limitTexts(limits, facts), ({ text, isOwn }) =>
    isOwn
      ? html`<td class="number">${text}</td>
`
      : html`<td class="number"><i>${text}</i></td>
`,
  );

/** The people of a team, ordered by email, as far as a page goes. */
export function teamPeopleSection(people: TeamPerson[]): Html {
  const shown = people.slice(0, peopleShownMax);
  const leftOut = people.length - shown.length;
  return html`<section aria-labelledby="people">
<h2 id="people">People</h2>
!${markup(people.length === 0 ? html`<p class="note">Nobody is in this team.</p>` : peopleTable(shown))}
!${markup(leftOut === 0 ? nothing : html`<p class="dim">${formatCount(leftOut)} more are left out. <a href="/admin/people">People</a> has all.</p>`)}
</section>
`;
}

const peopleTable = (
  people: TeamPerson[],
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="People of the team"><table class="keys people">
<thead><tr><th>Email</th><th>Role</th></tr></thead>
<tbody>!${each(
  people,
  ({ id, email, role }) => html`<tr>
<th scope="row"><a href="/admin/people/${id}">${email}</a></th>
<td>${role}</td>
</tr>
`,
)}</tbody>
</table></div>`;

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
  "Somebody else changed them after you opened this page. They are shown as they are now: make your change again.";

type TeamView = {
  team: TeamSummary;
  values: LimitValues;
  errors?: LimitValues | undefined;
  isStale?: boolean;
  flash?: string | undefined;
  sections: Html[];
  facts: Facts;
};
