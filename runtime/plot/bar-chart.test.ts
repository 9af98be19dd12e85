import assert from "node:assert/strict";
import test from "node:test";
import { barChart } from "./bar-chart.ts";

test("bars stand on the axis with their values above, a missing one is left out, and a limit is labelled", () => {
  const svg = barChart({
    title: "Answered in time",
    description: "Two servers at one rate.",
    y: { label: "%", range: [0, 100] },
    series: ["A", "B", "C"],
    groups: [{ name: "250 calls/s", values: [50, null, 100], limit: { y: 80, label: "80 % is possible" } }],
    formatValue: (value) => value.toFixed(1),
    footnote: "One worker.",
  });
  // After the frame and three boxes of the legend, the bars: from the bottom at 310 up to the top at 96.
  const bars = [...svg.matchAll(/<rect[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"/g)].slice(4);
  assert.deepEqual(
    bars.map(([, y, height]) => [Number(y), Number(height)]),
    [
      [203, 107],
      [96, 214],
    ],
  );
  for (const words of [">50.0<", ">100.0<", ">250 calls/s<", ">80 % is possible<", ">One worker.<"]) {
    assert.ok(svg.includes(words), words);
  }
});
