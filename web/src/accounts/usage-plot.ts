import type { DayUsage } from "@faceline/accounts/usage/read-usage";
import { stackedBarChart } from "@faceline/runtime/plot/stacked-bar-chart";
import { formatCount } from "../format.ts";
import { type Html, html, plotMarkup } from "../html.ts";

/**
 * Returns a bar for each day, in parts for the endpoints: in two charts, of which a phone shows the one of
 * fewer days. The page has their colours: see accounts.css.
 */
export const usagePlots = (
  days: DayUsage[],
  endpoints: string[],
): Html => html`<div class="chart">!${plot(days, endpoints, 700)}</div>
<div class="chart narrow">!${plot(days.slice(-phoneDays), endpoints, 360)}</div>`;

function plot(days: DayUsage[], endpoints: string[], width: number): Html {
  const bars = days.map(({ day, counts }, index) => {
    const name = dayFormat.format(new Date(day));
    const values = endpoints.map((endpoint) =>
      counts.filter((each) => each.endpoint === endpoint).reduce((sum, { calls }) => sum + calls, 0),
    );
    const isLabelled = (days.length - 1 - index) % labelEveryDays === 0;
    return { name, label: isLabelled ? name : undefined, values };
  });
  const most = Math.max(...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  return plotMarkup(
    stackedBarChart({
      title: `Requests per day, last ${days.length} days`,
      description: `By endpoint; at most ${formatCount(most)} on a day. The table below has the numbers.`,
      // Steps of the axis are whole requests from 5 on.
      y: { label: "requests per day", range: [0, Math.max(5, most)], format: formatCount },
      series: endpoints,
      bars,
      colours: "of the page",
      width,
    }),
  );
}

const phoneDays = 14;
const labelEveryDays = 7;

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
