import { lineChart } from "@faceline/runtime/plot/line-chart";
import { countUpTo, type Distances } from "../statistics/error-curve.ts";
import { percent } from "./format.ts";
import type { LaneReport, MetricReport } from "./report.ts";

/** The plots of a lane as SVG: ROC, DET, and for each metric its distances and its error rates. */
export function lanePlots(report: LaneReport): string[] {
  // euclidean_l2 draws the same line as cosine.
  const metrics = report.metrics.filter(({ metric }) => metric !== "euclidean_l2");
  return [
    roc(report.lane, metrics),
    det(report.lane, metrics),
    ...metrics.flatMap((metric) => [histogram(report.lane, metric), rates(report.lane, metric)]),
  ];
}

function roc(lane: string, metrics: readonly MetricReport[]): string {
  return lineChart({
    ...size,
    title: `ROC of ${lane}`,
    description: "For each threshold the share of pairs of one person that match, over the false match rate.",
    x: { label: "FMR", range: [0, 1], ticks: fifths, format: percent },
    y: { label: "true matches (1 - FNMR)", range: [0, 1], ticks: fifths, format: percent },
    panels: [
      {
        series: metrics.map(({ metric, analysis: { curve } }) => {
          const points = curve.thresholds(pointsMax).map((threshold) => {
            const { fmr, fnmr } = curve.rates(threshold);
            return [fmr, 1 - fnmr] as const;
          });
          return { name: metric, points: [[0, 0], ...points] };
        }),
      },
    ],
  });
}

function det(lane: string, metrics: readonly MetricReport[]): string {
  const series = metrics.flatMap(({ metric, analysis: { curve, fmr, fnmr } }) => {
    const counts = curve
      .thresholds(pointsMax)
      .map((threshold) => [curve.falseMatches(threshold), curve.falseNonMatches(threshold)] as const);
    const measured = counts
      .filter(([matches, nonMatches]) => matches > 0 && nonMatches > 0)
      .map(([matches, nonMatches]) => [matches / fmr.pairs, nonMatches / fnmr.pairs] as const);
    const bounds = counts.map(
      ([matches, nonMatches]) => [fmr.bound(matches), fnmr.bound(nonMatches)] as const,
    );
    return [
      { name: metric, points: measured.map(inDecades) },
      { name: `${metric}, bound`, points: bounds.map(inDecades) },
    ];
  });
  const axisOf = (axis: 0 | 1) =>
    decadesOf(series.flatMap(({ points }) => points.map((point) => point[axis])));
  return lineChart({
    ...size,
    title: `DET of ${lane}`,
    description:
      "False non-match rate over false match rate, both on logarithmic axes, with the 95 % bounds of both rates. " +
      "Rates of 0 cannot be shown.",
    x: { label: "FMR", ...axisOf(0) },
    y: { label: "FNMR", ...axisOf(1) },
    panels: [{ series: series.filter(({ points }) => points.length > 0) }],
  });
}

function histogram(lane: string, { metric, analysis: { curve }, marks }: MetricReport): string {
  const most = Math.max(...[curve.same, curve.different].map((each) => each.at(each.length - 1)!), 1e-6);
  const outline = (distances: Distances) => {
    const upTo = (bin: number) => countUpTo(distances, (bin / bins) * most);
    return Array.from({ length: bins }, (_, bin) => {
      const share = (upTo(bin + 1) - (bin === 0 ? 0 : upTo(bin))) / distances.length;
      return [
        [(bin / bins) * most, share],
        [((bin + 1) / bins) * most, share],
      ] as [number, number][];
    }).flat();
  };
  const series = [
    { name: "one person", points: outline(curve.same) },
    { name: "two people", points: outline(curve.different) },
  ];
  const highest = Math.max(...series.flatMap(({ points }) => points.map(([, share]) => share)));
  return lineChart({
    ...size,
    title: `${metric} distances of ${lane}`,
    description: `How many pairs have which distance, in ${bins} steps, with the threshold in use.`,
    x: { label: `${metric} distance`, range: [0, most] },
    y: { label: "share of the pairs", range: [0, highest], format: percent },
    panels: [{ series, thresholds: inUse(marks, most) }],
  });
}

function rates(lane: string, { metric, analysis: { curve, fmr, fnmr }, marks }: MetricReport): string {
  const thresholds = curve.thresholds(pointsMax);
  const most = thresholds.at(-1)!;
  const over = (rate: (threshold: number) => number) =>
    thresholds.map((threshold): [number, number | null] => {
      const value = rate(threshold);
      return [threshold, value > 0 ? Math.log10(value) : null];
    });
  const series = [
    { name: "FMR", points: over((threshold) => curve.rates(threshold).fmr) },
    { name: "FMR, 95 % bound", points: over((threshold) => fmr.bound(curve.falseMatches(threshold))) },
    { name: "FNMR", points: over((threshold) => curve.rates(threshold).fnmr) },
    { name: "FNMR, 95 % bound", points: over((threshold) => fnmr.bound(curve.falseNonMatches(threshold))) },
  ];
  const decades = decadesOf(series.flatMap(({ points }) => points.flatMap(([, y]) => y ?? [])));
  return lineChart({
    ...size,
    title: `${metric} error rates of ${lane}`,
    description: "Both error rates and their bounds over the threshold, on a logarithmic axis.",
    x: { label: `${metric} threshold`, range: [0, Math.max(most, 1e-6)] },
    y: { label: "error rate", ...decades },
    panels: [{ series, thresholds: inUse(marks, most) }],
  });
}

const inUse = (marks: MetricReport["marks"], most: number) =>
  marks
    .slice(0, 1)
    .filter(({ threshold }) => threshold <= most)
    .map(({ threshold }) => ({ x: threshold, label: "" }));

const inDecades = ([x, y]: readonly [number, number]): readonly [number, number] => [
  Math.log10(x),
  Math.log10(y),
];

/** An axis of powers of ten that ends at 100 %. */
function decadesOf(logarithms: readonly number[]) {
  const from = Math.min(-1, Math.floor(logarithms.reduce((least, each) => Math.min(least, each), 0)));
  const step = from < -5 ? 2 : 1;
  return {
    range: [from, 0] as const,
    ticks: Array.from({ length: Math.floor(-from / step) + 1 }, (_, i) => -i * step).toReversed(),
    format: (power: number) => (power < -4 ? `1e${power + 2} %` : percent(10 ** power)),
  };
}

const fifths = [0, 0.2, 0.4, 0.6, 0.8, 1];
const size = { panelWidth: 400, panelHeight: 220, colours: "of the page" } as const;
/** Points of a line: more are not seen, and make the file large. */
const pointsMax = 80;
const bins = 40;
