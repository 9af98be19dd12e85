import { type LineChart, lineChart } from "@faceline/runtime/plot/line-chart";
import type { Axis } from "@faceline/runtime/plot/scale";
import { paretoFront, type Tried } from "../search/search.ts";
import type { Plan } from "./plan.ts";
import { settingsText } from "./words.ts";

/** Cost against p99, of the settings that were simulated whole and meet the target. */
export function frontPlot(plan: Plan): string {
  const { tried, defaults, target, whatIfScope } = plan;
  const front = paretoFront(tried);
  const met = tried.filter((each) => each.scope === "all requests" && each.prediction.missed.length === 0);
  // Predictions of windows and of all calls cannot be compared.
  const others = defaults === undefined || whatIfScope === "windows" ? [] : [defaults.sameWorkers];
  const point = ({ prediction }: Pick<Tried, "prediction">): [number, number] => [
    prediction.workerSecondsPer1000,
    Math.log10(Math.max(1, prediction.p99Ms)),
  ];
  const marks = [
    ...met.map((each) => ({ ...each, series: "meets the target" })),
    ...others.map((each) => ({ ...each, series: "defaults" })),
  ].map((each) => ({ ...each, at: point(each), tooltip: tooltip(each) }));
  return lineChart({
    ...size,
    title: "Cost and p99",
    description: "Worker seconds for 1,000 requests and p99 of the settings that meet the target.",
    x: { label: "worker seconds for 1,000 requests", range: rangeFromZero(marks.map(({ at: [x] }) => x)) },
    y: msAxis("p99 in ms", [...marks.map(({ at: [, y] }) => y), ...limitOf(target.p99)]),
    panels: [
      {
        series: [
          { name: "meets the target", points: front.map(point) },
          ...(others.length === 0 ? [] : [{ name: "defaults", points: [] }]),
        ],
        marks,
        limits: p99Limit(plan),
      },
    ],
  });
}

/** p99 over BATCH_MAX for each number of workers, with the best of the other settings. */
export function batchSizePlot(plan: Plan): string {
  const lines = batchSizeLines(plan.tried);
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(({ settings }) => settings.batchMax))].toSorted((a, b) => a - b);
  const point = ({ settings, prediction }: Tried): [number, number] => [
    Math.log2(settings.batchMax),
    Math.log10(Math.max(1, prediction.p99Ms)),
  ];
  const least = Math.log2(sizes[0]!);
  return lineChart({
    ...size,
    title: "p99 by batch size and workers",
    description:
      "p99 on the busiest windows over BATCH_MAX, one line for each number of workers. Hollow: misses the " +
      "target.",
    x: {
      label: "BATCH_MAX",
      range: [least, Math.max(least + 1, Math.log2(sizes.at(-1)!))],
      ticks: sizes.map((each) => Math.log2(each)),
      format: (power) => `${Math.round(2 ** power)}`,
    },
    y: msAxis("p99 in ms, by number of workers", [
      ...all.map((each) => point(each)[1]),
      ...limitOf(plan.target.p99),
    ]),
    panels: [
      {
        series: lines.map(({ workers, points }) => ({ name: `${workers}`, points: points.map(point) })),
        marks: lines.flatMap(({ workers, points }) =>
          points.map((each) => ({
            series: `${workers}`,
            at: point(each),
            isHollow: each.prediction.missed.length > 0,
            tooltip: tooltip(each),
          })),
        ),
        limits: p99Limit(plan),
      },
    ],
  });
}

/**
 * Returns what was tried on the windows for the highest numbers of workers, with the best setting of each
 * batch size.
 */
export function batchSizeLines(tried: readonly Tried[]): { workers: number; points: Tried[] }[] {
  const windows = tried.filter(({ scope }) => scope === "windows");
  const byWorkers = [...Map.groupBy(windows, ({ settings }) => settings.workers)].toSorted(
    ([a], [b]) => a - b,
  );
  return byWorkers.slice(-linesMax).map(([workers, each]) => {
    const bySize = [...Map.groupBy(each, ({ settings }) => settings.batchMax)].toSorted(([a], [b]) => a - b);
    return { workers, points: bySize.map(([, ofSize]) => ofSize.toSorted(betterFirst)[0]!) };
  });
}

const betterFirst = (a: Tried, b: Tried): number =>
  a.prediction.missed.length - b.prediction.missed.length || a.prediction.p99Ms - b.prediction.p99Ms;

/** Requests a second over the time of the trace. */
export function trafficPlot({ traffic }: Plan): string {
  const { slots, slotSeconds } = traffic;
  const endSeconds = slots.length * slotSeconds;
  const [unit, name] =
    endSeconds > 7_200 ? [3_600, "hours"] : endSeconds > 180 ? [60, "minutes"] : [1, "seconds"];
  const points = slots.flatMap((calls, slot): [number, number][] => [
    [(slot * slotSeconds) / unit, calls],
    [((slot + 1) * slotSeconds) / unit, calls],
  ]);
  return lineChart({
    ...size,
    title: "The traffic",
    description: `Requests per second over the time of the trace, in slots of ${slotSeconds} s.`,
    x: { label: `${name} since the start`, range: [0, endSeconds / unit] },
    y: { label: "requests per second", range: rangeFromZero(slots) },
    panels: [{ series: [{ name: "requests", points }] }],
  });
}

function tooltip({ settings, prediction }: Pick<Tried, "settings" | "prediction">): string {
  const { p99Ms, missed } = prediction;
  const faults = missed.length === 0 ? "" : `, misses ${missed.join(" and ")}`;
  return `${settingsText(settings)}: p99 ${p99Ms.toFixed(0)} ms${faults}`;
}

const p99Limit = ({ target: { p99 } }: Plan) =>
  p99 === undefined ? [] : [{ y: Math.log10(p99), label: `target ${p99} ms` }];
const limitOf = (ms: number | undefined): number[] => (ms === undefined ? [] : [Math.log10(ms)]);

/** A logarithmic axis around these powers of ten, with ticks at 1, 2 and 5. */
function msAxis(label: string, powers: readonly number[]): Axis {
  const all = [0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((digit) => Math.log10(digit) + power));
  const [least, most] = [Math.min(...powers), Math.max(...powers)];
  const from = all.findLast((each) => each < least) ?? 0;
  const to = all.find((each) => each > most) ?? all.at(-1)!;
  const inside = all.filter((each) => each >= from && each <= to);
  const ticks = inside.length <= 9 ? inside : inside.filter((each) => Number.isInteger(each));
  return { label, range: [from, to], ticks, format: (power) => `${Math.round(10 ** power)}` };
}

function rangeFromZero(values: readonly number[]): [number, number] {
  return [0, Math.max(1e-3, 1.1 * Math.max(...values))];
}

const linesMax = 4;
const size: Pick<LineChart, "panelWidth" | "panelHeight" | "colours"> = {
  panelWidth: 340,
  panelHeight: 210,
  colours: "of the page",
};
