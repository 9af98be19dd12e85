import assert from "node:assert/strict";
import test from "node:test";
import { stackedBarChart } from "./stacked-bar-chart.ts";

const chart = {
  title: "Calls",
  description: "Two days.",
  y: { label: "calls", range: [0, 100] as const },
  series: ["/verify", "/compare"],
  bars: [
    { name: "21 Nov", label: "21", values: [50, 25] },
    { name: "22 Nov", values: [0, 100] },
  ],
};

test("parts stand on each other, in the order of the series, and an empty one is not drawn", () => {
  // After the frame and the two boxes of the legend: 188 px for 100, from 264 upwards.
  const parts = [
    ...stackedBarChart(chart).matchAll(
      /<rect x="([\d.]+)" y="([\d.]+)"[^>]* height="([\d.]+)"[^>]*--plot-(\d)/g,
    ),
  ].slice(2);
  assert.deepEqual(
    parts.map(([, , y, height, series]) => [Number(y), Number(height), series]),
    [
      [170, 94, "1"],
      [123, 47, "2"],
      [76, 188, "2"],
    ],
  );
});

test("each part names its bar, series and value, and labels stand below some bars", () => {
  const svg = stackedBarChart(chart);
  assert.ok(svg.includes("<title>21 Nov, /compare: 25</title></rect>"), svg);
  assert.equal([...svg.matchAll(/>21<\/text>/g)].length, 1);
  assert.ok(stackedBarChart({ ...chart, series: ["<b>", "&"] }).includes("21 Nov, &lt;b&gt;: 50"));
});

test("in a page that has the colours, the drawing brings no style of its own", () => {
  assert.match(stackedBarChart(chart), /<style>/);
  const svg = stackedBarChart({ ...chart, colours: "of the page" });
  assert.doesNotMatch(svg, /style/);
  assert.match(svg, /class="plot"/);
});
