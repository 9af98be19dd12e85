import { withoutFaces } from "../../testing/faces.ts";
import { openAccuracy, type Row } from "../accuracy.ts";
import { brokenPromises } from "../accuracy-promise.ts";
import { accuracyTables } from "../accuracy-tables.ts";
import type { Bench, Measured } from "../bench.ts";

/** How often the engine is right over labelled photographs and worse copies of them, in each configuration. */
export async function accuracy({ servers, quick, steps, say }: AccuracyBench): Promise<Measured> {
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const opening = steps.run("the networks", () => openAccuracy({ modelsDir: servers.models, quick }));
  await using measurement = await opening;
  const { plan } = measurement;
  const rows: Row[] = [];
  for (const { name } of plan.cases) {
    rows.push(
      ...(await steps.run(name, async (note) => {
        const rows = await measurement.rowsOf(name);
        const { detected, of, cosine, euclidean } = rows.find((row) => row.configuration === plan.usual)!;
        note(`${plan.usual}: ${detected} of ${of}, ${cosine.right} and ${euclidean.right} of ${cosine.of}`);
        return rows;
      })),
    );
  }
  const across = await measurement.across();
  const broken = brokenPromises(plan, rows);
  const closing =
    broken.length === 0
      ? `✓ ${plan.usual}: all right as it is, and nowhere more than one in a hundred behind ${plan.reference}.`
      : ["What was promised does not hold:", ...broken.map((sentence) => `✗ ${sentence}`)].join("\n");
  return {
    plan,
    results: { rows, across },
    tables: [accuracyTables(plan, rows, across), closing].join("\n\n"),
    broken,
  };
}

/** What another part that prints the table has to have. */
export type AccuracyBench = Pick<Bench, "quick" | "steps" | "say"> & { servers: { models: string } };
