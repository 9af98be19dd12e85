import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AccuracyPlan, AccuracyRow } from "@faceline/accuracy/messages";
import { labelledNames } from "@faceline/inference/testing/photographs";
import { cardFile, readCards } from "@faceline/models/card";
import { facesFolder, withoutFaces } from "@faceline/testing/faces";
import { IpcChild } from "../observe/ipc-child.ts";
import { memoryMib } from "../observe/processes.ts";
import type { Bench, PartResult } from "../part.ts";
import { processor } from "../report.ts";
import { accuracyTables, failedChecks } from "./accuracy-tables.ts";
import { cardDifferences, cardsOf, cardText } from "./cards.ts";
import { findHeldOut } from "./held-out.ts";

/**
 * Error rates of recognisers and detectors over labelled images and degraded copies of them. A program of its
 * own measures them, case by case; `quick` leaves out the held-out images. With `writeCards` the cards of the
 * models get the figures, else the figures are compared with the cards.
 */
export async function accuracy(bench: AccuracyBench): Promise<PartResult> {
  const { servers, quick, folder, steps, say, save } = bench;
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const heldOut = quick ? undefined : findHeldOut(folder);
  if (!quick && heldOut === undefined) {
    throw new Error(
      "The held-out images are not here: npm run bench -- --only accuracy --setup fetches them.",
    );
  }
  const file = "tools/accuracy/accuracy.bench.ts";
  const env = { MODELS_DIR: servers.models };
  const args = heldOut === undefined ? [] : [heldOut];
  await using child = new IpcChild("the accuracy program", file, args, { env });
  const all = (await steps.run("the networks", () => child.receive())) as AccuracyPlan;
  const plan = quick ? { ...all, conditions: all.conditions.slice(0, 1) } : all;
  const rows: AccuracyRow[] = [];
  for (const set of plan.sets.map(({ name }) => name)) {
    for (const { name: condition } of plan.conditions) {
      await steps.run(`${set}, ${condition}`, async (note) => {
        const { rows: added } = (await child.request({ set, condition })) as { rows: AccuracyRow[] };
        rows.push(...added);
        await save({ plan, results: { rows } });
        const { images, notEnrolled, rates } = added.find(({ lane }) => lane === plan.usual)!;
        note(
          `${plan.usual}: ${notEnrolled} of ${images} not enrolled, FNMR ${rates?.fnmr.value}, FMR ${rates?.fmr.value}`,
        );
      });
    }
  }
  const memoryMib = await steps.run("memory", () => measureMemory(bench, plan));
  const results = { rows, memoryMib };
  const { cpu, cores } = processor();
  const cards = cardsOf(plan, results, { day: new Date().toISOString().slice(0, 10), processor: cpu, cores });
  const failed = failedChecks(plan, rows);
  if (heldOut !== undefined && bench.writeCards) {
    const known = await readCards();
    for (const [name, card] of cards) {
      writeFileSync(cardFile(name), cardText({ ...card, weaknesses: known.get(name)?.weaknesses ?? [] }));
    }
  } else if (heldOut !== undefined) failed.push(...cardDifferences(cards, await readCards()));
  return {
    plan,
    results,
    tables: [accuracyTables(plan, results), ...failed.map((sentence) => `✗ ${sentence}`)].join("\n\n"),
    failedChecks: failed,
  };
}

/** Memory of a process that has one lane loaded and has run a few photographs, by lane. */
async function measureMemory(
  { servers, quick }: AccuracyBench,
  plan: AccuracyPlan,
): Promise<Record<string, number>> {
  const images = labelledNames()
    .slice(0, runsBefore)
    .map((name) => join(facesFolder, name));
  const memory: Record<string, number> = {};
  for (const { name } of plan.lanes) {
    if (name === plan.reference || (quick && name !== plan.usual)) continue;
    const env = { MODELS_DIR: servers.models };
    await using engine = new IpcChild("the engine-only process", engineFile, [name, ...images], { env });
    await engine.receive();
    memory[name] = Math.round(memoryMib({ engine: engine.pid }, "Rss")?.["engine"] ?? 0);
  }
  return memory;
}

const runsBefore = 8;
const engineFile = "tools/bench/engine.bench.ts";

/** Less than a whole benchmark. */
type AccuracyBench = Pick<Bench, "quick" | "folder" | "steps" | "say" | "save" | "writeCards"> & {
  servers: { models: string };
};
