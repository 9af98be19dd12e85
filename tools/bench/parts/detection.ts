import { withoutFaces } from "@faceline/testing/faces";
import { IpcChild } from "../observe/ipc-child.ts";
import type { Bench, PartResult } from "../part.ts";
import { table } from "../report.ts";

/**
 * Which faces each detector finds, and in what time: small ones, tight crops, turned ones, faces that the rim
 * cuts, a second person, and nobody. The engine's own program measures it, set by set.
 */
export async function detection({ servers, quick, steps, say }: Bench): Promise<PartResult> {
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const env = { MODELS_DIR: servers.models };
  const file = "tools/accuracy/detection.bench.ts";
  await using child = new IpcChild("the detection program", file, [], { env });
  const plan = (await steps.run("the networks", () => child.receive())) as DetectionPlan;
  const sets: SetResult[] = [];
  for (const { name, how } of quick ? plan.sets.slice(0, 2) : plan.sets) {
    const counts = (await steps.run(name, () => child.request({ set: name }))) as SetCounts;
    sets.push({ name, how, ...counts });
  }
  return { plan, results: sets, tables: detectionTables(plan, sets) };
}

/** Faces found and boxes beside them, then times; a column for each way of searching. */
function detectionTables({ ways, pictures, absent }: DetectionPlan, sets: readonly SetResult[]): string {
  const matrix = (cell: (row: DetectionRow) => string) =>
    table(
      ["scenes", "faces", ...ways],
      sets.map(({ name, faces, rows }) => [name, `${faces}`, ...rows.map(cell)]),
    );
  return [
    ...(absent.length === 0 ? [] : [`NOT MEASURED, because they are not pulled: ${absent.join(", ")}.`]),
    `Faces found in scenes of ${pictures} photographs, + boxes that show none of them:`,
    matrix(({ found, extra }) => (extra === 0 ? `${found}` : `${found} + ${extra}`)),
    "Detection of a scene in ms, on one thread, the median of the scenes:",
    matrix(({ detectMs }) => detectMs.toFixed(1)),
    ["Scenes:", ...sets.map(({ name, how }) => `- ${name}: ${how}`)].join("\n"),
  ].join("\n\n");
}

/** What the detection program sends first. */
type DetectionPlan = {
  ways: string[];
  sets: { name: string; how: string }[];
  pictures: number;
  /** Detectors whose weights are not here. */
  absent: string[];
};

type DetectionRow = { way: string; found: number; extra: number; detectMs: number };
type SetCounts = { faces: number; rows: DetectionRow[] };
type SetResult = SetCounts & { name: string; how: string };
