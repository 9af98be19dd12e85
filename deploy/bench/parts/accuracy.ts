import { withoutFaces } from "../../e2e/faces.ts";
import type { Bench, PartResult } from "../bench.ts";
import { IpcChild } from "../observe/ipc-child.ts";
import {
  type AccuracyPlan,
  type AccuracyRow,
  accuracyTables,
  type ByMetric,
  failedChecks,
} from "./accuracy-report.ts";

/**
 * How often the engine is right over labelled photographs and degraded copies of them, in each configuration.
 * The engine's own program measures it, case by case.
 */
export async function accuracy({ servers, quick, steps, say }: AccuracyBench): Promise<PartResult> {
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const file = "inference/src/accuracy.bench.ts";
  const env = { MODELS_DIR: servers.models };
  await using child = new IpcChild("the accuracy program", file, [quick ? "quick" : "all"], { env });
  const plan = (await steps.run("the networks", () => child.receive())) as AccuracyPlan;
  const rows: AccuracyRow[] = [];
  for (const { name } of plan.cases) {
    rows.push(
      ...(await steps.run(name, async (note) => {
        const answer = (await child.request({ case: name })) as Omit<AccuracyRow, "case">[];
        const rows = answer.map((row) => ({ ...row, case: name }));
        const { detected, of, cosine, euclidean } = rows.find((row) => row.configuration === plan.usual)!;
        note(`${plan.usual}: ${detected} of ${of}, ${cosine.right} and ${euclidean.right} of ${cosine.of}`);
        return rows;
      })),
    );
  }
  const across = (await child.request({ across: true })) as ByMetric;
  const failed = failedChecks(plan, rows);
  const closing =
    failed.length === 0
      ? `✓ ${plan.usual}: all right without degradation, and at most one in a hundred behind ${plan.reference} with it.`
      : ["Checks that failed:", ...failed.map((sentence) => `✗ ${sentence}`)].join("\n");
  return {
    plan,
    results: { rows, across },
    tables: [accuracyTables(plan, rows, across), closing].join("\n\n"),
    failedChecks: failed,
  };
}

/** Less than a whole benchmark, so that other commands can print the tables. */
type AccuracyBench = Pick<Bench, "quick" | "steps" | "say"> & { servers: { models: string } };
