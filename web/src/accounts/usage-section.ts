import { type OutcomeKind, outcomeKind } from "@faceline/accounts/usage/call-outcome";
import type { DayUsage, UsageCount } from "@faceline/accounts/usage/read-usage";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import { usagePlot } from "./usage-plot.ts";

/**
 * Returns calls on these days, the oldest first: a plot and a table. Members read how to make a first call,
 * if there is none.
 */
export function usageSection({ days, reader, title = "Usage" }: UsageView): Html {
  const counts = days.flatMap(({ counts }) => counts);
  return html`<section aria-labelledby="usage">
<h2 id="usage">${title}</h2>
!${markup(callsOf(counts) === 0 ? noCalls(days, reader) : calls(days, counts))}
</section>
`;
}

const noCalls = (days: DayUsage[], reader: UsageReader): Html => html`<p class="note">No calls in the last
${days.length} days. The first one appears here some seconds after it has
ended.!${markup(reader === "operator" ? nothing : firstCallLink())}</p>`;

const firstCallLink = (): Html => html` <a href="/docs/quick-start">How to make it</a>.`;

function calls(days: DayUsage[], counts: UsageCount[]): Html {
  const endpoints = [...new Set(counts.map(({ endpoint }) => endpoint))].toSorted(
    (a, b) => callsOf(counts, (each) => each.endpoint === b) - callsOf(counts, (each) => each.endpoint === a),
  );
  return html`<p class="dim">!${markup(summary(days, counts))}</p>
<div class="wide" tabindex="0" role="region" aria-label="Plot of calls per day">!${usagePlot(days, endpoints)}</div>
<details class="more"><summary>The same as a table</summary>
<div class="wide" tabindex="0" role="region" aria-label="Calls per day">!${dayTable(days, endpoints)}</div></details>`;
}

function summary(days: DayUsage[], counts: UsageCount[]): Html {
  const of = (kind: OutcomeKind): string =>
    formatCount(callsOf(counts, ({ outcome }) => outcomeKind(outcome) === kind));
  const all = callsOf(counts);
  return html`${formatCount(all)} ${all === 1 ? "call" : "calls"} in the last ${days.length} days: ${of("answered")} answered,
${of("refused")} refused (4xx), ${of("failed")} failed (5xx), and ${of("left")} whose client left before the
reply. Days are in UTC. Calls appear here some seconds after they have ended.`;
}

function dayTable(days: DayUsage[], endpoints: string[]): Html {
  const called = days.filter(({ counts }) => counts.length > 0).toReversed();
  return html`<table>
<caption>Days without calls are left out.</caption>
<thead><tr><th scope="col">Day</th>!${each(endpoints, columnHead)}<th scope="col">All</th><th scope="col">Not answered</th></tr></thead>
<tbody>!${each(called, (day) => dayRow(day, endpoints))}</tbody>
</table>`;
}

const columnHead = (name: string): Html => html`<th scope="col">${name}</th>`;

function dayRow({ day, counts }: DayUsage, endpoints: string[]): Html {
  const cells = [
    ...endpoints.map((endpoint) => callsOf(counts, (each) => each.endpoint === endpoint)),
    callsOf(counts),
    callsOf(counts, ({ outcome }) => outcome !== "ok"),
  ];
  return html`<tr><th scope="row">${day}</th>!${each(cells, numberCell)}</tr>
`;
}

const numberCell = (calls: number): Html => html`<td class="number">${formatCount(calls)}</td>`;

const callsOf = (counts: UsageCount[], where: (count: UsageCount) => boolean = () => true): number =>
  counts.filter(where).reduce((sum, { calls }) => sum + calls, 0);

/** Who reads the page: a member of the team, or an operator of the service. */
export type UsageReader = "member" | "operator";
type UsageView = { days: DayUsage[]; reader: UsageReader; title?: string };
