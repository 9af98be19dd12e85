import { slotMs } from "../recent/slots.ts";
import type { LiveSeries } from "../state.ts";
import { number, perSecond } from "./format.ts";
import { node, type ViewNode } from "./node.ts";

/** A label, a value, and a line of the past five minutes. */
export function tile({ label, value, series, note }: Tile): ViewNode {
  return node(
    "div",
    { class: "tile" },
    node("dt", {}, label),
    node(
      "dd",
      {},
      node("span", { class: "figure" }, value),
      note === undefined ? undefined : node("span", { class: "dim" }, note),
      series === undefined ? undefined : sparkline(series.values, series.unit),
    ),
  );
}

/** A rate: its mean over the past 10 s, and its line. */
export const rateTile = (label: string, counts: LiveSeries): ViewNode =>
  tile({
    label,
    value: perSecond(lastOf(counts)),
    note: "past 10 s",
    series: { values: rates(counts), unit: " per second" },
  });

/** Its scale begins at 0 and ends at the largest value, which stands beside it. */
function sparkline(values: LiveSeries, unit: string): ViewNode {
  const most = Math.max(...values, 0);
  const x = (index: number) => ((index * width) / Math.max(1, values.length - 1)).toFixed(1);
  const y = (value: number) => (height - 1 - ((height - 2) * value) / Math.max(most, 1e-9)).toFixed(1);
  const points = values.map((value, index) => `${x(index)},${y(value)}`).join(" ");
  return node(
    "span",
    { class: "spark" },
    node(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      node("polygon", { points: `0,${height} ${points} ${width},${height}` }),
      node("polyline", { points }),
    ),
    node("span", { class: "dim" }, `${number(most)}${unit} at most, past 5 min`),
  );
}

/** Counts of slots as rates: per second. */
const rates = (counts: LiveSeries): LiveSeries => counts.map((count) => (1_000 * count) / slotMs);

/** The sum of the last 10 s. */
export const lastOf = (counts: LiveSeries): number =>
  counts.slice(-10_000 / slotMs).reduce((sum, each) => sum + each, 0);

const width = 150;
const height = 28;

/** `unit` is what stands behind a number of the series: ` per second`. */
type Tile = { label: string; value: string; note?: string; series?: { values: LiveSeries; unit: string } };
