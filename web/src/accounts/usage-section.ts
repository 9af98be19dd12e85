import { type OutcomeKind, outcomeKind } from "@faceline/accounts/usage/call-outcome";
import type { DayUsage, UsageCount } from "@faceline/accounts/usage/read-usage";
import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import { cardTable, type Column } from "../card-table.ts";
import { count } from "./count.ts";
import { usagePlots } from "./usage-plot.ts";

/**
 * Returns requests on these days, the oldest first: a plot and a table. If there are none, members read how
 * to send a first one.
 */
export function usageSection({ days, reader, title = "Usage" }: UsageView): Html {
  const counts = days.flatMap(({ counts }) => counts);
  return html`<section aria-labelledby="usage">
<h2 id="usage">${title}</h2>
!${markup(callsOf(counts) === 0 ? noCalls(days, reader) : calls(days, counts))}
</section>
`;
}

const noCalls = (days: DayUsage[], reader: UsageReader): Html => html`<p class="note">No requests in the last
${days.length} days. A request appears here some seconds after its response.!${markup(reader === "operator" ? nothing : firstCallLink())}</p>`;

const firstCallLink = (): Html => html` <a href="/docs/quick-start">Send your first request</a>.`;

function calls(days: DayUsage[], counts: UsageCount[]): Html {
  // By name, so that each keeps its colour.
  const endpoints = [...new Set(counts.map(({ endpoint }) => endpoint))].toSorted();
  return html`<p class="dim">!${markup(summary(days, counts))}</p>
!${usagePlots(days, endpoints)}
<details class="more"><summary>Show as a table</summary>
!${dayTable(days, endpoints)}</details>`;
}

function summary(days: DayUsage[], counts: UsageCount[]): Html {
  const of = (kind: OutcomeKind): Html =>
    count(callsOf(counts, ({ outcome }) => outcomeKind(outcome) === kind));
  const all = callsOf(counts);
  return html`!${count(all)} ${all === 1 ? "request" : "requests"} in the last ${days.length} days: !${of("answered")} answered,
!${of("refused")} refused (4xx), !${of("failed")} failed (5xx), !${of("left")} cancelled by the client. Days are in UTC.
Requests appear here some seconds after their response.`;
}

const dayTable = (days: DayUsage[], endpoints: string[]): Html =>
  cardTable<DayUsage>({
    label: "Requests per day",
    caption: "Days without requests are left out.",
    columns: [
      { head: "Day", type: "name", content: ({ day }) => html`${day}` },
      ...endpoints.map(
        (endpoint): Column<DayUsage> => ({
          head: endpoint,
          type: "number",
          content: ({ counts }) => count(callsOf(counts, (each) => each.endpoint === endpoint)),
        }),
      ),
      { head: "All", type: "number", content: ({ counts }) => count(callsOf(counts)) },
      {
        head: "Not answered",
        type: "number",
        content: ({ counts }) => count(callsOf(counts, ({ outcome }) => outcome !== "ok")),
      },
    ],
    rows: days.filter(({ counts }) => counts.length > 0).toReversed(),
  });

const callsOf = (counts: UsageCount[], where: (count: UsageCount) => boolean = () => true): number =>
  counts.filter(where).reduce((sum, { calls }) => sum + calls, 0);

/** Who reads the page: a member of the team, or an operator of the service. */
export type UsageReader = "member" | "operator";
type UsageView = { days: DayUsage[]; reader: UsageReader; title?: string };
