import type { DayUsage } from "@faceline/accounts/usage/read-usage";
import { stackedBarChart } from "@faceline/runtime/plot/stacked-bar-chart";
import { formatCount } from "../format.ts";
import { type Html, plotMarkup } from "../html.ts";

/** Returns a bar for each day, in parts for the endpoints. The page has its colours: see accounts.css. */
export function usagePlot(days: DayUsage[], endpoints: string[]): Html {
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
      title: "Calls per day",
      description:
        `Calls on each of the last ${days.length} days, by endpoint; at most ${formatCount(most)} on a day. ` +
        "The table below has the numbers.",
      // Steps of the axis are whole calls from 5 on.
      y: { label: "calls per day", range: [0, Math.max(5, most)], format: formatCount },
      series: endpoints,
      bars,
      colours: "of the page",
    }),
  );
}

const labelEveryDays = 7;

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
