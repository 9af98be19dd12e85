import type { LiveLane } from "../state.ts";
import { barTable } from "./bars.ts";
import { card, detailsTable } from "./card.ts";
import { counted, duration, number, percent, perSecond, quantileOf } from "./format.ts";
import { node, type ViewNode } from "./node.ts";
import { pointChart } from "./points.ts";
import { rateTile, tile } from "./sparkline.ts";
import { dispatchWords, waitSentence } from "./words.ts";

/** A lane of a batcher: what waits and why, its batches, and how well they were predicted. */
export function laneSection(lane: LiveLane): ViewNode {
  const { build, wait, waiting } = lane;
  const isBad = wait.kind === "no_worker";
  const isIdle = lane.sizes.length === 0 && waiting === 0;
  return node(
    "section",
    { class: "lane" },
    node("h2", {}, `Lane ${lane.lane}`),
    build === null
      ? node("p", { class: "dim" }, "No worker has reported this lane.")
      : node(
          "p",
          { class: "dim" },
          `Build ${build.digest.slice(0, 8)}: weights ${build.modelVersion}, ${build.precision}`,
        ),
    node("p", { class: isBad ? "now bad" : "now" }, waitSentence(wait, waiting)),
    // In an incident the lanes that have calls matter, so the others take little room.
    isIdle ? node("p", {}, `No batch in the past 5 min. ${runRule(lane.run)}`) : laneTiles(lane),
    isIdle
      ? undefined
      : node(
          "div",
          { class: "cards" },
          batchSizes(lane),
          dispatchReasons(lane),
          runTimes(lane),
          predictions(lane),
        ),
  );
}

function laneTiles(lane: LiveLane): ViewNode {
  const { workers, shed, heldMs } = lane;
  return node(
    "dl",
    { class: "tiles" },
    tile({
      label: "Waiting now",
      value: counted(lane.waiting, "task"),
      note: `of at most ${number(lane.waitingMax)}`,
      series: { values: lane.waitingMost, unit: "" },
    }),
    tile({
      label: "Oldest task now",
      value: lane.waiting === 0 ? "–" : duration(lane.oldestMs),
      note: `held back ${percent(heldMs.last10s / 10_000)} of the past 10 s`,
    }),
    rateTile("Sent to workers", lane.sent),
    tile({
      label: "Refused or dropped",
      value: perSecond(shed.last10s),
      note: `past 10 s; ${counted(shed.all, "task")} in the past 5 min`,
    }),
    tile({ label: "Workers now", value: `${workers.free} free, ${workers.busy} busy` }),
  );
}

function batchSizes({ sizes, usefulSize, floor, run }: LiveLane): ViewNode {
  const held = floor > 1 ? ` With fewer than ${floor} waiting tasks, the lane holds them for a moment.` : "";
  const batches = sizes.reduce((sum, each) => sum + each.batches, 0);
  const tasks = sizes.reduce((sum, { size, batches }) => sum + size * batches, 0);
  return card(
    {
      heading: "Sizes of batches",
      words: `Target now: at most ${counted(usefulSize, "task")}. Larger batches would not finish more tasks per second.${held}`,
      level: "h3",
    },
    barTable({
      caption:
        batches === 0
          ? "No batch in the past 5 min"
          : `Past 5 min: ${counted(batches, "batch")}, ${number(tasks / batches)} tasks on average`,
      columns: ["Tasks", "Batches", "Share"],
      rows: sizeRanges(run.expected.map(({ size }) => size)).map(({ from, to }) => {
        const inRange = sizes.filter(({ size }) => size >= from && size <= to);
        const count = inRange.reduce((sum, each) => sum + each.batches, 0);
        const share = percent(count / Math.max(1, batches));
        return {
          name: from === to ? `${to}` : `${from} to ${to}`,
          value: count,
          shown: [number(count), share],
        };
      }),
    }),
  );
}

/** The sizes that are padded to the same one take the same time: 1, 2, 3 to 4, 5 to 8. */
const sizeRanges = (paddedSizes: number[]): { from: number; to: number }[] =>
  paddedSizes.map((to, index) => ({ from: (paddedSizes[index - 1] ?? 0) + 1, to }));

function dispatchReasons({ reasons }: LiveLane): ViewNode {
  const rows = Object.entries(reasons).filter(([, { all }]) => all > 0);
  return card(
    { heading: "Why a batch was sent with its size", level: "h3" },
    barTable({
      caption: "Batches",
      columns: ["Reason", "Past 5 min", "Past 10 s"],
      isWordy: true,
      rows: rows
        .toSorted(([, one], [, other]) => other.all - one.all)
        .map(([reason, { all, last10s }]) => ({
          name: reason,
          note: dispatchWords[reason as keyof typeof dispatchWords],
          value: all,
          shown: [number(all), number(last10s)],
        })),
    }),
  );
}

function runTimes({ run }: LiveLane): ViewNode {
  const { alphaMs, betaMs, expected, measured } = run;
  const points = measured.flatMap(({ size, runsMs }) => runsMs.map((ms) => [size, ms] as const));
  const line = expected.map(({ size, ms }) => [size, ms] as const);
  const rule = `${duration(alphaMs)} + ${duration(betaMs)} for each task`;
  const rows = expected.map(({ size, ms }) => {
    const runsMs = measured.find((each) => each.size === size)?.runsMs ?? [];
    const median = runsMs.length === 0 ? "–" : duration(quantileOf(runsMs, 0.5));
    return [`${size}`, duration(ms), median, number(runsMs.length)];
  });
  return card(
    { heading: "Time of a run: learned and real", words: runRule(run), level: "h3" },
    pointChart({
      description: `Run time by batch size. The learned line: ${rule}. ${counted(points.length, "run")} as points.`,
      x: { label: "tasks, with padding", least: 1, ticks: expected.map(({ size }) => size) },
      y: { label: "ms", least: 1 },
      points: [...points],
      line,
    }),
    detailsTable("Run times as a table", ["Size", "Learned", "Median of last", "Runs"], rows),
  );
}

const runRule = ({ alphaMs, betaMs, residualMs }: LiveLane["run"]): string =>
  `A run takes ${duration(alphaMs)} + ${duration(betaMs)} for each task, padding included. Predictions are off by ${duration(residualMs)} on average.`;

function predictions({ predictions: ends }: LiveLane): ViewNode {
  const errors = ends.map(({ predictedMs, realMs }) => realMs - predictedMs);
  const sizesMs = errors.map(Math.abs);
  const most = Math.max(1, ...ends.map(({ predictedMs }) => predictedMs));
  const worst = errors.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0] ?? 0;
  const words =
    ends.length === 0
      ? "No batch has ended yet."
      : `Half of the last ${ends.length} ended within ${duration(quantileOf(sizesMs, 0.5))} of the prediction; the worst ${duration(Math.abs(worst))} ${worst > 0 ? "too late" : "early"}.`;
  return card(
    { heading: "End of a batch: predicted and real", words, level: "h3" },
    pointChart({
      description: `Time from dispatch to the end of the run. ${words} Points above the line ended later than predicted.`,
      x: { label: "predicted, ms", least: 1 },
      y: { label: "real, ms (above the line: late)", least: 1 },
      points: ends.map(({ predictedMs, realMs }) => [predictedMs, realMs] as const),
      line: [
        [0, 0],
        [most, most],
      ],
    }),
    detailsTable(
      "Ends of batches as a table",
      ["Predicted", "Real"],
      ends.toReversed().map((each) => [duration(each.predictedMs), duration(each.realMs)]),
    ),
  );
}
