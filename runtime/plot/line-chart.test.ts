import assert from "node:assert/strict";
import test from "node:test";
import { type LineChart, lineChart } from "./line-chart.ts";

const chart: LineChart = {
  title: "Answered <in time>",
  description: "Q & A answers half.",
  x: { label: "ms", range: [0, 600], ticks: [0, 300, 600] },
  y: { label: "% of all calls", range: [0, 1], format: (share) => `${100 * share} %` },
  panels: [
    {
      title: "250 calls/s",
      series: [
        {
          name: "Q & A",
          points: [
            [0, 0],
            [300, 0.5],
            [400, null],
            [600, 1],
            [650, 1],
          ],
        },
      ],
      thresholds: [{ x: 300, label: "deadline" }],
    },
    {
      series: [
        { name: "B", points: [[0, 1]] },
        { name: "Q & A", points: [[0, 0]] },
      ],
    },
  ],
};

test("a chart names itself, its description, axes, panels, series and thresholds, escaped", () => {
  const svg = lineChart(chart);
  const expected = [
    /<title id="(.+)-title">Answered &lt;in time&gt;<\/title>\n<desc id="\1-desc">Q &amp; A answers half\.<\/desc>/,
    /role="img" aria-labelledby="plot-answered-in-time--title plot-answered-in-time--desc"/,
    />% of all calls</,
    />60 %</,
    />600</,
    />250 calls\/s</,
    />Q &amp; A</,
    />deadline</,
  ];
  for (const each of expected) assert.match(svg, each);
});

test("a gap splits a line, and a series has one colour and one dash pattern in every panel", () => {
  // The first two are in the legend.
  const lines = lineChart(chart)
    .match(/<polyline[^>]+>/g)!
    .slice(2);
  assert.deepEqual(
    lines.map((each) => /var\(--plot-\d\)/.exec(each)?.[0]),
    ["var(--plot-1)", "var(--plot-1)", "var(--plot-2)", "var(--plot-1)"],
  );
  assert.match(lines[0]!, /points="56,306 176,206"/);
  assert.deepEqual(
    lines.map((each) => each.includes("dasharray")),
    [false, false, true, false],
  );
});

test("colours follow a light and a dark scheme, and no mark has a colour of its own", () => {
  const svg = lineChart(chart);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.doesNotMatch(svg.replace(/<style>.*<\/style>/, ""), /#[0-9a-f]{3,6}/);
});

test("a value that is not finite is refused, not drawn as nothing", () => {
  const series = [{ name: "a", points: [[0, Number.NaN]] as const }];
  assert.throws(() => lineChart({ ...chart, panels: [{ series }] }), /A plot cannot show NaN/);
});
