import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lineChart } from "@faceline/runtime/plot/line-chart";
import { answeredWithin } from "../load/open-loop.ts";
import { type OpenLoopCase, type PooledCase, poolRepeats } from "./open-loop.ts";

/**
 * Draws the results of the last full open-loop part, for docs/benchmarks.md. Returns the files. Throws
 * if there are none.
 */
export function drawOpenLoop(resultsFile: string, folder: string): string[] {
  if (!existsSync(resultsFile)) {
    throw new Error(`There is no ${resultsFile} to draw: run \`npm run bench -- --only open-loop\` first.`);
  }
  const { plan, results } = JSON.parse(readFileSync(resultsFile, "utf8")) as OpenLoopResults;
  mkdirSync(folder, { recursive: true });
  const pooled = poolRepeats(results);
  return Object.entries({
    "latency.svg": latencyPlot(pooled, plan),
  }).map(([name, svg]) => {
    writeFileSync(join(folder, name), svg);
    return join(folder, name);
  });
}

/** A panel for each rate: the share of all calls that were answered within a time from when they were due. */
export function latencyPlot(pooled: readonly PooledCase[], plan: Plan): string {
  const { servers, rates } = namesOf(pooled);
  return lineChart({
    title: "Answered within a time",
    description:
      `Cumulative distribution of latency at ${rates.join(", ")} requests per second for ${servers.join(", ")}, ` +
      "of all requests, counted from when a request was due.",
    x: { label: "ms from when the request was due", range: [0, shownMs], ticks: [0, 200, 400, 600] },
    y: { label: "% of all requests", range: [0, 100], ticks: percentTicks },
    panels: rates.map((perSecond) => ({
      title: `${perSecond} requests/s`,
      series: pooled
        .filter((each) => each.perSecond === perSecond)
        .map(({ server, calls }) => ({
          name: server,
          points: answeredWithin(calls, instantsMs).map(
            (share, step) => [instantsMs[step]!, 100 * share] as const,
          ),
        })),
      thresholds: [{ x: plan.deadlineMs, label: "deadline" }],
    })),
    footnote: capacityText(plan),
  });
}

const percentTicks = [0, 25, 50, 75, 100];
const shownMs = 600;
const instantsMs = Array.from({ length: shownMs / 5 + 1 }, (_, step) => 5 * step);

const capacityText = ({ engine, capacityPerSecond }: Plan): string =>
  `One worker; a run of b images is a wait (${engine.replace("model:", "")} ms), which allows ${capacityPerSecond.toFixed(1)} requests/s`;

const namesOf = (pooled: readonly PooledCase[]) => ({
  servers: [...new Set(pooled.map(({ server }) => server))],
  rates: [...new Set(pooled.map(({ perSecond }) => perSecond))],
});

type Plan = { engine: string; deadlineMs: number; capacityPerSecond: number };

/** Content of `open-loop.json`. */
type OpenLoopResults = { plan: Plan; results: OpenLoopCase[] };
