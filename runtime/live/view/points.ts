import { linearScale, ticks } from "../../plot/scale.ts";
import { node, type ViewNode } from "./node.ts";

/** Points and a line through them, from 0 on both axes. `description` says what they show. */
export function pointChart(chart: PointChart): ViewNode {
  const { description, x: xAxis, y: yAxis, points, line } = chart;
  const all = [...points, ...line];
  const xMax = Math.max(...all.map(([x]) => x), xAxis.least);
  const yMax = Math.max(...all.map(([, y]) => y), yAxis.least) * 1.08;
  const x = linearScale([0, xMax * 1.04], [left, width - right]);
  const y = linearScale([0, yMax], [height - bottom, top]);
  const horizontal = ticks(0, yMax, 4).map((value) => [
    node("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    node("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, `${value}`),
  ]);
  const vertical = apart(xAxis.ticks ?? ticks(0, xMax, 4), x).map((value) =>
    node(
      "text",
      { class: "tick", x: x(value), y: height - bottom + 16, "text-anchor": "middle" },
      `${value}`,
    ),
  );
  return node(
    "svg",
    { class: "points", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description },
    ...horizontal.flat(),
    ...vertical,
    node("text", { class: "axis", x: 2, y: 12 }, yAxis.label),
    node("text", { class: "axis", x: width - right, y: height - 2, "text-anchor": "end" }, xAxis.label),
    node("polyline", {
      class: "model",
      points: line.map((each) => `${x(each[0]).toFixed(1)},${y(each[1]).toFixed(1)}`).join(" "),
    }),
    ...points.map((each) => node("circle", { cx: x(each[0]), cy: y(each[1]), r: 3 })),
  );
}

/** Drops the ticks whose numbers would run into the next one's. */
function apart(values: number[], x: (value: number) => number): number[] {
  const kept: number[] = [];
  for (const value of values.toReversed()) {
    if (kept.length === 0 || x(kept[0]!) - x(value) >= tickDistance) kept.unshift(value);
  }
  return kept;
}

const tickDistance = 18;
const width = 360;
const height = 200;
const left = 44;
const right = 10;
const top = 22;
const bottom = 36;

type Place = readonly [x: number, y: number];

/** `least`: an axis is at least as long. `ticks` are chosen where they are not given. */
type PointAxis = { label: string; least: number; ticks?: number[] };

type PointChart = {
  description: string;
  x: PointAxis;
  y: PointAxis;
  points: Place[];
  line: Place[];
};
