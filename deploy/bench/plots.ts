import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, type Pooled, pooled } from "./contest.ts";
import { answeredWithin, summarise } from "./outcomes.ts";
import { box, colours, drawing, faint, grey, ink, legend, line, type Point, path, text } from "./svg.ts";

/** Draws what the last full open-loop run has measured, for BENCHMARKS.md. */
export function drawPlots(results: string, folder: string): string[] {
  if (!existsSync(results)) {
    throw new Error(`There is no ${results} to draw: run \`npm run bench -- --only open-loop\` first.`);
  }
  const { plan, results: cases } = JSON.parse(readFileSync(results, "utf8")) as Contest;
  mkdirSync(folder, { recursive: true });
  const groups = pooled(cases);
  return Object.entries({
    "in-time.svg": inTimePlot(groups, plan),
    "latency.svg": latencyPlot(groups, plan),
  }).map(([name, svg]) => {
    writeFileSync(join(folder, name), svg);
    return join(folder, name);
  });
}

/** For each rate a group of bars: the share of calls that were answered within the deadline. */
export function inTimePlot(groups: Pooled[], plan: Contest["plan"]): string {
  const { servers, rates } = namesOf(groups);
  const [left, top, width, height] = [56, 76, 624, 220];
  const y = (share: number) => top + height * (1 - share);
  const group = width / rates.length;
  const bar = (group - 40) / servers.length;
  const bars = groups.flatMap(({ server, perSecond, calls }) => {
    const { inTime } = summarise(calls, plan.deadlineMs);
    const x = left + rates.indexOf(perSecond) * group + 20 + servers.indexOf(server) * bar;
    return [
      box([x + 2, y(inTime)], [bar - 4, height * inTime], colours[servers.indexOf(server)]!),
      text(x + bar / 2, y(inTime) - 4, (100 * inTime).toFixed(1), { size: 11 }),
    ];
  });
  const possible = rates.flatMap((perSecond, index) => {
    const share = Math.min(1, plan.capacityPerSecond / perSecond);
    if (share === 1) return [];
    const from = left + index * group;
    return [
      line([from + 8, y(share)], [from + group - 8, y(share)], ink, "4 3"),
      text(from + group - 8, y(share) - 5, `${(100 * share).toFixed(1)} % is possible`, {
        anchor: "end",
        size: 11,
      }),
    ];
  });
  return drawing({ width: 700, height: 350 }, "Answered within the deadline", [
    text(20, 28, `Answered within ${plan.deadlineMs} ms, % of all calls`, {
      anchor: "start",
      weight: "bold",
      size: 14,
    }),
    ...legend(coloured(servers), [20, 52]),
    ...shares.flatMap((share) => [
      line([left, y(share)], [left + width, y(share)], faint),
      text(left - 8, y(share) + 4, `${100 * share}`, { anchor: "end", fill: grey }),
    ]),
    ...bars,
    ...possible,
    ...rates.map((perSecond, index) =>
      text(left + (index + 0.5) * group, top + height + 20, `${perSecond} calls/s`, { weight: "bold" }),
    ),
    text(left + width / 2, top + height + 40, capacityWords(plan), { fill: grey }),
  ]);
}

/** For each rate a panel: how many of all calls were answered within so many milliseconds of when they were due. */
export function latencyPlot(groups: Pooled[], plan: Contest["plan"]): string {
  const { servers, rates } = namesOf(groups);
  const [left, top, width, height, gap] = [56, 96, 240, 200, 28];
  const y = (share: number) => top + height * (1 - share);
  const panels = rates.flatMap((perSecond, index) => {
    const from = left + index * (width + gap);
    const x = (ms: number) => from + (width * ms) / shownMs;
    const curves = groups
      .filter((group) => group.perSecond === perSecond)
      .map(({ server, calls }) => {
        const points = answeredWithin(calls, instants).map(
          (share, step): Point => [x(instants[step]!), y(share)],
        );
        return path(points, colours[servers.indexOf(server)]!);
      });
    return [
      text(from + width / 2, top - 12, `${perSecond} calls/s`, { weight: "bold" }),
      ...shares.map((share) => line([from, y(share)], [from + width, y(share)], faint)),
      ...[0, 200, 400, 600].map((ms) => text(x(ms), top + height + 16, `${ms}`, { fill: grey })),
      line([x(plan.deadlineMs), top], [x(plan.deadlineMs), top + height], ink, "4 3"),
      ...curves,
      // In the others a curve may lie under it.
      ...(index > 0 ? [] : [text(x(plan.deadlineMs) + 6, y(0.5), "deadline", { anchor: "start", size: 11 })]),
    ];
  });
  return drawing(
    { width: left + 3 * width + 2 * gap + 20, height: 350 },
    "Answered within so many milliseconds",
    [
      text(20, 28, "Answered within so many ms of when the call was due, % of all calls", {
        anchor: "start",
        weight: "bold",
        size: 14,
      }),
      ...legend(coloured(servers), [20, 52]),
      ...shares.map((share) => text(left - 8, y(share) + 4, `${100 * share}`, { anchor: "end", fill: grey })),
      ...panels,
      text(left + 1.5 * width + gap, top + height + 40, capacityWords(plan), { fill: grey }),
    ],
  );
}

const shares = [0, 0.25, 0.5, 0.75, 1];
const shownMs = 600;
const instants = Array.from({ length: shownMs / 5 + 1 }, (_, step) => 5 * step);

const capacityWords = ({ engine, capacityPerSecond }: Contest["plan"]): string =>
  `One worker; a run of b pictures is a wait (${engine.replace("model:", "")} ms), which allows ${capacityPerSecond.toFixed(1)} calls/s`;

const coloured = (servers: string[]) =>
  servers.map((name, index) => ({ name, colour: colours[index % colours.length]! }));

const namesOf = (groups: Pooled[]) => ({
  servers: [...new Set(groups.map(({ server }) => server))],
  rates: [...new Set(groups.map(({ perSecond }) => perSecond))],
});

/** What `open-loop.json` holds. */
export type Contest = {
  plan: { engine: string; deadlineMs: number; capacityPerSecond: number };
  results: Case[];
};
