import type { DayUsage } from "@faceline/accounts/usage/read-usage";
import { ticks } from "@faceline/runtime/plot/scale";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";

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
  const bars = days.map(({ day, counts }) => ({
    name: dayFormat.format(new Date(day)),
    values: endpoints.map((endpoint) =>
      counts.filter((each) => each.endpoint === endpoint).reduce((sum, { calls }) => sum + calls, 0),
    ),
  }));
  const most = Math.max(...bars.map(({ values }) => sumOf(values)));
  // Steps of the axis are whole requests from 5 on.
  const range = Math.max(5, most);
  const y = (value: number) => rounded(bottom - (value * (bottom - top)) / range);
  const step = (width - left - right) / bars.length;
  return html`<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" class="plot" font-size="12">
<title>Requests per day, last ${days.length} days</title>
<desc>By endpoint; at most ${formatCount(most)} on a day. The table below has the numbers.</desc>
<text x="20" y="24" fill="var(--plot-muted)">requests per day</text>
!${legend(endpoints)}
!${each(
    ticks(0, range),
    (
      value,
    ) => html`<line x1="${left}" y1="${y(value)}" x2="${width - right}" y2="${y(value)}" stroke="var(--plot-grid)"/>
<text x="${left - 8}" y="${y(value) + 4}" text-anchor="end" fill="var(--plot-muted)">${formatCount(value)}</text>`,
  )}
!${each(bars, ({ name, values }, index) => {
    const x = left + index * step;
    const part = (value: number, which: number): Html =>
      html`<rect x="${rounded(x + step * gapShare)}" y="${y(sumOf(values.slice(0, which + 1)))}" width="${rounded(step * (1 - 2 * gapShare))}" height="${rounded(bottom - y(value))}" fill="${colourOf(which)}" stroke="var(--plot-ground)"><title>${name}, ${endpoints[which]}: ${formatCount(value)}</title></rect>`;
    const label = html`<text x="${rounded(x + step / 2)}" y="${bottom + 18}" text-anchor="middle" fill="var(--plot-muted)">${name}</text>`;
    const isLabelled = (days.length - 1 - index) % labelEveryDays === 0;
    return html`!${each(values, (value, which) => (value === 0 ? nothing : part(value, which)))}!${markup(isLabelled ? label : nothing)}`;
  })}
</svg>
`;
}

/** The names of the endpoints in a row, each with a box in its colour. */
function legend(endpoints: string[]): Html {
  let x = 30;
  return each(endpoints, (endpoint, which) => {
    const [box, text] = [x, x + 18];
    x += 52 + rounded(6.6 * endpoint.length);
    return html`<rect x="${box}" y="39" width="12" height="10" fill="${colourOf(which)}"/><text x="${text}" y="48" fill="var(--plot-ink)">${endpoint}</text>`;
  });
}

const colourOf = (which: number): string => `var(--plot-${1 + (which % 6)})`;
const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);
/** To a tenth of a pixel. */
const rounded = (value: number): number => Math.round(10 * value) / 10;

const height = 300;
const [left, right, top, bottom] = [56, 20, 76, height - 36];
/** Gap on each side of a bar, as a share of its width. */
const gapShare = 0.12;

const phoneDays = 14;
const labelEveryDays = 7;

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
