import { type Axis, axisFormat, axisTicks, linearScale } from "./scale.ts";
import { colour, legend, line, rect, seriesColour, svgDocument, text } from "./svg.ts";

/**
 * Returns an SVG bar chart: groups of bars, one bar a series, each with its value above it. A value of null
 * has no bar. Throws a RangeError for a value that is not finite.
 */
export function barChart(chart: BarChart): string {
  const { title, description, y: axis, series, groups, width = 700, height = 370 } = chart;
  const plotWidth = width - left - 20;
  const bottom = height - (chart.footnote === undefined ? 40 : 60);
  const y = linearScale(axis.range, [bottom, top]);
  const groupWidth = plotWidth / groups.length;
  const barWidth = (groupWidth - 40) / series.length;
  const { formatValue = axisFormat(axis) } = chart;
  const drawn = groups.flatMap(({ name, values, limit }, index) => {
    const from = left + index * groupWidth;
    const bars = values.flatMap((value, which) => {
      if (value === null) return [];
      const x = from + 20 + which * barWidth;
      const box = { x: x + 2, y: y(value), width: barWidth - 4, height: y(axis.range[0]) - y(value) };
      return [
        rect(box, seriesColour(which)),
        text(x + barWidth / 2, y(value) - 4, formatValue(value), { size: 11 }),
      ];
    });
    const limitMarks =
      limit === undefined
        ? []
        : [
            line([from + 8, y(limit.y)], [from + groupWidth - 8, y(limit.y)], colour.ink, "4 3"),
            text(from + groupWidth - 8, y(limit.y) - 5, limit.label, { anchor: "end", size: 11 }),
          ];
    return [...bars, ...limitMarks, text(from + groupWidth / 2, bottom + 20, name, { weight: "bold" })];
  });
  return svgDocument({ title, description, width, height }, [
    text(20, 28, title, { anchor: "start", weight: "bold", size: 14 }),
    text(20, 46, axis.label, { anchor: "start", fill: colour.muted }),
    ...legend(series, [20, 68], "box"),
    ...axisTicks(axis).flatMap((value) => [
      line([left, y(value)], [left + plotWidth, y(value)], colour.grid),
      text(left - 8, y(value) + 4, axisFormat(axis)(value), { anchor: "end", fill: colour.muted }),
    ]),
    ...drawn,
    ...(chart.footnote === undefined
      ? []
      : [text(left + plotWidth / 2, bottom + 42, chart.footnote, { fill: colour.muted })]),
  ]);
}

const left = 56;
const top = 96;

type BarChart = {
  title: string;
  /** Description of the chart for readers who cannot see it. */
  description: string;
  y: Axis;
  /** Names of the bars of every group, in order. */
  series: readonly string[];
  groups: readonly BarGroup[];
  /** Format of the values above the bars; the axis' by default. */
  formatValue?(value: number): string;
  /** Pixels; the defaults are 700 and 370. */
  width?: number;
  height?: number;
  footnote?: string;
};

/** `values`: one for each series. `limit`: a dashed line across the group, like what is possible at all. */
type BarGroup = {
  name: string;
  values: readonly (number | null)[];
  limit?: { y: number; label: string };
};
