import type { DayUsage, TeamUsage } from "@faceline/accounts/usage/read-usage";
import { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { usageSection } from "./usage-section.ts";

/** The calls of everybody, by day and endpoint, and by team. Callers without a team have their own rows. */
export const usagePage = ({ days, teams }: UsageView): AccountPage =>
  adminPage({
    path: "/admin/usage",
    title: "Usage",
    content: html`<h1>Usage</h1>
!${usageSection({ days, reader: "operator", title: "All calls" })}
!${markup(teams.length === 0 ? nothing : callersSection(teams, days.length))}`,
  });

function callersSection(callers: TeamUsage[], dayCount: number): Html {
  const { shown, leftOut } = shownCallers(callers);
  const all = callsOf(callers);
  return html`<section aria-labelledby="callers">
<h2 id="callers">By team</h2>
<p class="dim">The last ${dayCount} days. The page of a team has its calls by day, and its recent errors.</p>
<div class="wide" tabindex="0" role="region" aria-label="Calls by team"><table class="keys">
<thead><tr><th>Team</th><th class="number">Calls</th><th class="number">Share</th><th class="number">Refused (4xx)</th>
<th class="number">Failed (5xx)</th><th class="number">Client left</th></tr></thead>
<tbody>!${each(shown, (caller) => callerRow(caller, all))}</tbody>
</table></div>
!${markup(leftOut.length === 0 ? nothing : leftOutNote(leftOut))}
</section>`;
}

const callerRow = (caller: TeamUsage, all: number): Html => html`<tr>
<th scope="row">!${callerName(caller.team)}</th>
<td class="number">${formatCount(caller.calls)}</td>
<td class="number">${formatShare(caller.calls / all)}</td>
<td class="number">${formatCount(caller.refused)}</td>
<td class="number">${formatCount(caller.failed)}</td>
<td class="number">${formatCount(caller.left)}</td>
</tr>
`;

function callerName(team: string): Html {
  if (team === visitorsTenant) return html`<i>Visitors of the tester</i>`;
  if (team === keylessTenant) return html`<i>Without a known key</i>`;
  return html`<a href="/admin/teams/${team}">${team}</a>`;
}

const leftOutNote = (teams: TeamUsage[]): Html => html`<p class="dim">${formatCount(teams.length)} more
${teams.length === 1 ? "team is" : "teams are"} left out, with ${formatCount(callsOf(teams))} calls together.
<code>npm run keys -- usage</code> shows all.</p>`;

/** Returns the teams with most calls, with the callers without a team among them, and the other teams. */
function shownCallers(callers: TeamUsage[]): { shown: TeamUsage[]; leftOut: TeamUsage[] } {
  const leftOut = callers.filter(({ team }) => !hasNoTeam(team)).slice(teamsShownMax);
  const hidden = new Set(leftOut);
  return { shown: callers.filter((caller) => !hidden.has(caller)), leftOut };
}

const hasNoTeam = (team: string): boolean => team === visitorsTenant || team === keylessTenant;

const teamsShownMax = 100;

/** `0.345` → `34.5 %`. A share that is not nothing is never 0. */
const formatShare = (share: number): string =>
  share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;

const callsOf = (callers: TeamUsage[]): number => callers.reduce((sum, { calls }) => sum + calls, 0);

/** `days`: the oldest first. `teams`: those with most calls first. */
type UsageView = { days: DayUsage[]; teams: TeamUsage[] };
