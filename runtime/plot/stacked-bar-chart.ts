import { type Axis, axisFormat, axisTicks, linearScale } from "./scale.ts";
import { type ColourScheme, colour, legend, line, rect, seriesColour, svgDocument, text } from "./svg.ts";

/**
 * Returns an SVG bar chart: one bar for each name, the series on top of each other, in their order from the
 * bottom. A value of 0 draws nothing. Each part has a tooltip with its name, series and value. Throws a
 * RangeError for a value that is not finite.
 */
export function stackedBarChart(chart: StackedBarChart): string {
  const { title, description, y: axis, series, bars, colours, width = 700, height = 300 } = chart;
  const plotWidth = width - left - right;
  const bottom = height - 36;
  const y = linearScale(axis.range, [bottom, top]);
  const step = plotWidth / bars.length;
  const drawn = bars.flatMap(({ name, label, values }, index) => {
    const x = left + index * step;
    let sum = 0;
    const parts = values.flatMap((value, which) => {
      const from = sum;
      sum += value;
      if (value === 0) return [];
      const box = {
        x: x + step * gapShare,
        y: y(sum),
        width: step * (1 - 2 * gapShare),
        height: y(from) - y(sum),
      };
      const tooltip = `${name}, ${series[which]}: ${axisFormat(axis)(value)}`;
      // The line between two parts tells them apart without their colours.
      return [rect(box, seriesColour(which), { stroke: colour.ground, "stroke-width": 1 }, tooltip)];
    });
    return label === undefined
      ? parts
      : [...parts, text(x + step / 2, bottom + 18, label, { fill: colour.muted })];
  });
  return svgDocument({ title, description, width, height, colours }, [
    text(20, 24, axis.label, { anchor: "start", fill: colour.muted }),
    ...legend(series, [20, 48], "box"),
    ...axisTicks(axis).flatMap((value) => [
      line([left, y(value)], [left + plotWidth, y(value)], colour.grid),
      text(left - 8, y(value) + 4, axisFormat(axis)(value), { anchor: "end", fill: colour.muted }),
    ]),
    ...drawn,
  ]);
}

const left = 56;
const right = 20;
const top = 76;
/** Gap on each side of a bar, as a share of its width. */
const gapShare = 0.12;

type StackedBarChart = {
  /** Read by screen readers; it is not drawn. */
  title: string;
  /** Description of the chart for readers who cannot see it. */
  description: string;
  y: Axis;
  /** Names of the series, from the bottom up. */
  series: readonly string[];
  bars: readonly StackedBar[];
  colours?: ColourScheme | undefined;
  /** Pixels; the defaults are 700 and 300. */
  width?: number;
  height?: number;
};

/** `label`: under the axis. `values`: one for each series. */
type StackedBar = { name: string; label?: string | undefined; values: readonly number[] };
