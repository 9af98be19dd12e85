import type { DayUsage, TeamUsage } from "@faceline/accounts/usage/read-usage";
import { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import { formatCount } from "../format.ts";
import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { cardTable, type Column } from "../card-table.ts";
import { count, share } from "./count.ts";
import { usageSection } from "./usage-section.ts";

/** All requests, by day and endpoint, and by team. Callers without a team have their own rows. */
export const usagePage = ({ days, teams }: UsageView): AccountPage =>
  adminPage({
    path: "/admin/usage",
    title: "Usage",
    content: html`<h1>Usage</h1>
!${usageSection({ days, reader: "operator", title: "All requests" })}
!${markup(teams.length === 0 ? nothing : callersSection(teams, days.length))}`,
  });

function callersSection(callers: TeamUsage[], dayCount: number): Html {
  const { shown, leftOut } = shownCallers(callers);
  return html`<section aria-labelledby="callers">
<h2 id="callers">By team</h2>
<p class="dim">The last ${dayCount} days. A team's page has its requests by day and its recent errors.</p>
!${cardTable({ label: "Requests by team", columns: callerColumns(callsOf(callers)), rows: shown })}
!${markup(leftOut.length === 0 ? nothing : leftOutNote(leftOut))}
</section>`;
}

/** `all`: calls of everybody. */
const callerColumns = (all: number): Column<TeamUsage>[] => [
  { head: "Team", type: "name", content: ({ team }) => callerName(team) },
  { head: "Requests", type: "number", content: ({ calls }) => count(calls) },
  { head: "Share", type: "number", content: ({ calls }) => share(calls / all) },
  { head: "Refused (4xx)", type: "number", content: ({ refused }) => count(refused) },
  { head: "Failed (5xx)", type: "number", content: ({ failed }) => count(failed) },
  { head: "Cancelled by the client", type: "number", content: ({ left }) => count(left) },
];

function callerName(team: string): Html {
  if (team === visitorsTenant) return html`<i>Visitors of the tester</i>`;
  if (team === keylessTenant) return html`<i>Without a valid key</i>`;
  return html`<a href="/admin/teams/${team}">${team}</a>`;
}

const leftOutNote = (teams: TeamUsage[]): Html => html`<p class="dim">${formatCount(teams.length)} more
${teams.length === 1 ? "team is" : "teams are"} not shown, with ${formatCount(callsOf(teams))} requests together.</p>`;

/** Returns the teams with most requests, callers without a team included, and the other teams. */
function shownCallers(callers: TeamUsage[]): { shown: TeamUsage[]; leftOut: TeamUsage[] } {
  const leftOut = callers.filter(({ team }) => !hasNoTeam(team)).slice(teamsShownMax);
  const hidden = new Set(leftOut);
  return { shown: callers.filter((caller) => !hidden.has(caller)), leftOut };
}

const hasNoTeam = (team: string): boolean => team === visitorsTenant || team === keylessTenant;

const teamsShownMax = 100;

const callsOf = (callers: TeamUsage[]): number => callers.reduce((sum, { calls }) => sum + calls, 0);

/** `days`: the oldest first. `teams`: those with most calls first. */
type UsageView = { days: DayUsage[]; teams: TeamUsage[] };
