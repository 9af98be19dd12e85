import type { LiveInference, LiveLoadedLane, LiveRun } from "../state.ts";
import { barTable } from "./bars.ts";
import { card, detailsTable, table } from "./card.ts";
import { counted, duration, number, percent, quantileOf } from "./format.ts";
import { node, type ViewNode } from "./node.ts";
import { pointChart } from "./points.ts";
import { rateTile, tile } from "./sparkline.ts";

export function inferenceSections(part: LiveInference): (ViewNode | undefined)[] {
  return [
    part.modelled ? node("p", {}, modelledWords) : undefined,
    node("p", { class: "now" }, nowSentence(part)),
    totals(part),
    node(
      "div",
      { class: "cards" },
      ...part.lanes.map(({ lane }) =>
        runCard(
          lane,
          part.runs.filter((run) => run.lane === lane),
        ),
      ),
    ),
    lanes(part.lanes),
  ];
}

const modelledWords =
  "The engine is modelled: it waits instead of running models, and its results are made up.";

function nowSentence({ running, staged, answering, partitions }: LiveInference): string {
  const more = `${counted(staged, "batch")} behind it, ${counted(answering, "batch")} being answered.`;
  if (running !== null) {
    const left = running.leftMs > 0 ? `${duration(running.leftMs)} left` : "longer than predicted";
    return `Runs ${counted(running.tasks, "task")} of ${running.lane} for ${duration(running.forMs)}, ${left}; ${more}`;
  }
  if (staged > 0) return `Fetches and decodes the images of a batch; ${counted(staged, "batch")} staged.`;
  return partitions === 0 ? "Waits for a partition: it gets no batch without one." : "Waits for a batch.";
}

function totals({ tasks, busy, answered, failed, runs }: LiveInference): ViewNode {
  const median = (value: (run: LiveRun) => number) =>
    runs.length === 0 ? "–" : duration(quantileOf(runs.map(value), 0.5));
  return node(
    "dl",
    { class: "tiles" },
    rateTile("Tasks that ran", tasks),
    tile({
      label: "Busy with runs",
      value: percent(busy.slice(-5).reduce((sum, each) => sum + each, 0) / 5),
      note: "of the past 10 s",
      series: { values: busy.map((each) => Math.round(100 * each)), unit: " %" },
    }),
    tile({
      label: "Fetch and decode",
      value: median((run) => run.prepareMs),
      note: "median of the last batches",
    }),
    tile({ label: "Run", value: median((run) => run.runMs), note: "median of the last batches" }),
    tile({
      label: "Batches that failed",
      value: number(failed.all),
      note: `of ${number(failed.all + answered.all)} in the past 5 min`,
    }),
  );
}

function runCard(lane: string, runs: LiveRun[]): ViewNode {
  const bySize = [...Map.groupBy(runs, ({ tasks }) => tasks)].toSorted(([one], [other]) => one - other);
  const errors = runs.map(({ runMs, predictedRunMs }) => Math.abs(runMs - predictedRunMs));
  const most = Math.max(1, ...runs.map(({ predictedRunMs }) => predictedRunMs));
  return card(
    {
      heading: `${lane}: the last ${counted(runs.length, "run")}`,
      words:
        runs.length === 0
          ? "No batch of this lane has run yet."
          : `The batcher's predictions were off by ${duration(quantileOf(errors, 0.5))} (median).`,
    },
    barTable({
      caption: "Runs by size",
      columns: ["Tasks", "Runs", "Prepare", "Run"],
      rows: bySize.map(([tasks, all]) => ({
        name: `${tasks}`,
        value: all.length,
        shown: [
          number(all.length),
          duration(
            quantileOf(
              all.map(({ prepareMs }) => prepareMs),
              0.5,
            ),
          ),
          duration(
            quantileOf(
              all.map(({ runMs }) => runMs),
              0.5,
            ),
          ),
        ],
      })),
    }),
    pointChart({
      description: "Real run time by predicted run time. Points above the line took longer than predicted.",
      x: { label: "predicted run, ms", least: 1 },
      y: { label: "real run, ms (above the line: longer)", least: 1 },
      points: runs.map(({ predictedRunMs, runMs }) => [predictedRunMs, runMs] as const),
      line: [
        [0, 0],
        [most, most],
      ],
    }),
    detailsTable(
      `Runs of ${lane} as a table`,
      ["Tasks", "Padded to", "Prepare", "Run", "Predicted", "End"],
      runs
        .toReversed()
        .map((run) => [
          `${run.tasks}`,
          `${run.bucket}`,
          duration(run.prepareMs),
          duration(run.runMs),
          duration(run.predictedRunMs),
          run.isAnswered ? "answered" : "failed",
        ]),
    ),
  );
}

function lanes(loaded: LiveLoadedLane[]): ViewNode {
  const rows = loaded.map(({ lane, build, executionProvider, networks, sizes }) => [
    lane,
    `${build.digest.slice(0, 8)}, weights ${build.modelVersion}`,
    executionProvider,
    networks
      .map(
        ({ model, precision, fallback }) =>
          `${model} ${precision}${fallback ? " (slower: int8 is not exact on this CPU)" : ""}`,
      )
      .join(", "),
    sizes.map(({ size, warmMs }) => `${size}: ${duration(warmMs)}`).join(", "),
  ]);
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "Loaded lanes"),
    rows.length === 0
      ? node("p", {}, "No lane is loaded yet.")
      : table("Lanes", ["Lane", "Build", "Runs on", "Precision", "Sizes, with the run time at start"], rows),
  );
}
