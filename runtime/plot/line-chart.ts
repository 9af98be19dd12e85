import { type Axis, axisFormat, axisTicks, linearScale } from "./scale.ts";
import {
  type ColourScheme,
  colour,
  legend,
  line,
  type Point,
  polyline,
  seriesColour,
  seriesDashes,
  svgDocument,
  text,
} from "./svg.ts";

/**
 * Returns an SVG line chart: one panel, or several beside each other with the same axes. Series of the same
 * name have the same colour and dashes in every panel. A y of null is a gap. Throws a RangeError for a value
 * that is not finite.
 */
export function lineChart(chart: LineChart): string {
  const {
    title,
    description,
    x: xAxis,
    y: yAxis,
    panels,
    colours,
    panelWidth = 240,
    panelHeight = 200,
  } = chart;
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const bottom = top + panelHeight;
  const y = linearScale(yAxis.range, [bottom, top]);
  const plotWidth = panels.length * panelWidth + (panels.length - 1) * gap;
  const drawn = panels.flatMap(({ title, series, thresholds = [] }, index) => {
    const from = left + index * (panelWidth + gap);
    const x = linearScale(xAxis.range, [from, from + panelWidth]);
    return [
      ...(title === undefined ? [] : [text(from + panelWidth / 2, top - 12, title, { weight: "bold" })]),
      ...axisTicks(yAxis).map((value) => line([from, y(value)], [from + panelWidth, y(value)], colour.grid)),
      ...axisTicks(xAxis).map((value) =>
        text(x(value), bottom + 16, axisFormat(xAxis)(value), { fill: colour.muted }),
      ),
      ...thresholds.flatMap(({ x: at, label }) => [
        line([x(at), top], [x(at), bottom], colour.ink, "4 3"),
        text(x(at) + 6, bottom - 6, label, { anchor: "start", size: 11 }),
      ]),
      ...series.flatMap(({ name, points }) => {
        const which = names.indexOf(name);
        return runsOf(points).map((run) =>
          polyline(
            run.map(([px, py]): Point => [x(px), y(py)]),
            seriesColour(which),
            seriesDashes(which),
          ),
        );
      }),
    ];
  });
  const height = bottom + 40 + (chart.footnote === undefined ? 0 : 20);
  return svgDocument({ title, description, width: left + plotWidth + 20, height, colours }, [
    text(20, 28, title, { anchor: "start", weight: "bold", size: 14 }),
    text(20, 46, yAxis.label, { anchor: "start", fill: colour.muted }),
    ...legend(names, [20, 68]),
    ...axisTicks(yAxis).map((value) =>
      text(left - 8, y(value) + 4, axisFormat(yAxis)(value), { anchor: "end", fill: colour.muted }),
    ),
    ...drawn,
    text(left + plotWidth / 2, bottom + 34, xAxis.label, { fill: colour.muted }),
    ...(chart.footnote === undefined
      ? []
      : [text(left + plotWidth / 2, bottom + 52, chart.footnote, { fill: colour.muted })]),
  ]);
}

/** Splits points at their gaps. */
function runsOf(points: readonly DataPoint[]): [number, number][][] {
  const runs: [number, number][][] = [[]];
  for (const [x, y] of points) {
    if (y === null) runs.push([]);
    else runs.at(-1)!.push([x, y]);
  }
  return runs.filter((run) => run.length > 0);
}

const left = 56;
const top = 106;
const gap = 28;

type DataPoint = readonly [x: number, y: number | null];

export type LineChart = {
  title: string;
  /** Description of the chart for readers who cannot see it. */
  description: string;
  x: Axis;
  y: Axis;
  panels: readonly Panel[];
  /** Pixels; the defaults are 240 and 200. */
  panelWidth?: number;
  panelHeight?: number;
  footnote?: string;
  colours?: ColourScheme;
};

/** `thresholds`: vertical lines, like a deadline. */
type Panel = {
  title?: string;
  series: readonly { name: string; points: readonly DataPoint[] }[];
  thresholds?: readonly { x: number; label: string }[];
};
