import type { DayUsage } from "@faceline/accounts/usage/read-usage";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";

/**
 * Returns a bar for each day, in parts for the endpoints: in two charts, of which a phone shows the one of
 * fewer days. The page has their colours, `--plot-1` and so on: see accounts.css.
 */
export const usagePlots = (
  days: DayUsage[],
  endpoints: string[],
): Html => html`<div class="chart">!${plot(days, endpoints, 700)}</div>
<div class="chart narrow">!${plot(days.slice(-phoneDays), endpoints, 360)}</div>`;

/** An SVG drawing. Parts of a bar stand on each other in the order of the endpoints, each with a tooltip. */
function plot(days: DayUsage[], endpoints: string[], width: number): Html {
  const bars = days.map(({ day, counts }) => ({
    name: dayFormat.format(new Date(day)),
    values: endpoints.map((endpoint) =>
      counts.filter((count) => count.endpoint === endpoint).reduce((sum, { calls }) => sum + calls, 0),
    ),
  }));
  const most = Math.max(...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  // Steps of the axis are whole requests from 5 on.
  const range = Math.max(5, most);
  const y = (value: number): number => tenths(bottom - (value * (bottom - top)) / range);
  const step = (width - left - right) / bars.length;
  const id = `plot-${days.length}-days`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-desc" class="plot" font-size="12">
<title id="${id}-title">Requests per day, last ${days.length} days</title>
<desc id="${id}-desc">By endpoint; at most ${formatCount(most)} on a day. The table below has the numbers.</desc>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="var(--plot-ground)" stroke="var(--plot-grid)"/>
!${label(20, 24, "start", "requests per day")}
!${legend(endpoints)}
!${each(
    ticks(range),
    (
      value,
    ) => html`<line x1="${left}" y1="${y(value)}" x2="${width - right}" y2="${y(value)}" stroke="var(--plot-grid)"/>
!${label(left - 8, y(value) + 4, "end", formatCount(value))}`,
  )}
!${each(bars, (bar, index) => {
    const x = left + index * step;
    const isLabelled = (bars.length - 1 - index) % labelEveryDays === 0;
    return html`!${stack(bar, endpoints, { x: tenths(x + step * gapShare), width: tenths(step * (1 - 2 * gapShare)), y })}
!${markup(isLabelled ? label(tenths(x + step / 2), bottom + 18, "middle", bar.name) : nothing)}`;
  })}
</svg>`;
}

/** The parts of a bar. A line in the background colour separates two parts even without colours. */
function stack({ name, values }: Bar, endpoints: string[], { x, width, y }: Place): Html {
  let sum = 0;
  return each(values, (value, index) => {
    const from = sum;
    sum += value;
    if (value === 0) return nothing;
    const partHeight = tenths(y(from) - y(sum));
    return html`<rect x="${x}" y="${y(sum)}" width="${width}" height="${partHeight}" fill="var(--plot-${1 + index})" stroke="var(--plot-ground)"><title>${name}, ${endpoints[index]}: ${formatCount(value)}</title></rect>`;
  });
}

/** One row of names, each with a box in its colour. */
function legend(names: string[]): Html {
  let x = 20;
  return each(names, (name, index) => {
    const at = x;
    x += tenths(52 + 6.6 * name.length);
    return html`<rect x="${at + 10}" y="39" width="12" height="10" fill="var(--plot-${1 + index})"/>
<text x="${at + 28}" y="48" fill="var(--plot-ink)">${name}</text>`;
  });
}

const label = (x: number, y: number, anchor: string, text: string): Html =>
  html`<text x="${x}" y="${y}" text-anchor="${anchor}" fill="var(--plot-muted)">${text}</text>`;

/** About five round values from 0 to `max`: steps are 1, 2 or 5 times a power of ten. */
function ticks(max: number): number[] {
  const power = 10 ** Math.floor(Math.log10(max / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= max / 5)!;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}

/** A tenth of a pixel is precise enough. */
const tenths = (value: number): number => Math.round(value * 10) / 10;

const phoneDays = 14;
const labelEveryDays = 7;
const height = 300;
const left = 56;
const right = 20;
const top = 76;
const bottom = height - 36;
/** Gap on each side of a bar, as a share of its width. */
const gapShare = 0.12;

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

type Bar = { name: string; values: number[] };
type Place = { x: number; width: number; y(value: number): number };
