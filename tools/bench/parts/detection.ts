import { withoutFaces } from "@faceline/testing/faces";
import { IpcChild } from "../observe/ipc-child.ts";
import type { Bench, PartResult } from "../part.ts";
import { table } from "../report.ts";

/**
 * Which faces each detector finds, smaller, turned, covered, pale and dark, as a call gets them: through the
 * engine with its alignment. The engine's own program measures it.
 */
export async function detection({ servers, quick, steps, say, save }: Bench): Promise<PartResult> {
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const env = { MODELS_DIR: servers.models };
  const program = "tools/accuracy/detection.bench.ts";
  await using child = new IpcChild("the detection program", program, [], { env });
  const all = (await steps.run("the networks", () => child.receive())) as DetectionPlan;
  const plan = quick ? { ...all, groups: ["edge"] } : all;
  const results: Record<string, DetectionRow[]> = {};
  for (const group of plan.groups) {
    results[group] = (await steps.run(group, () => child.request({ group }))) as DetectionRow[];
    await save({ plan, results });
  }
  const tables = plan.groups.map((group) => detectionTable(plan, group, results[group]!));
  const intro = `Faces of ${plan.photographs} that are found with the embedding of the photograph as it is; after "+" those that are answered with another one:`;
  return { plan, results, tables: [intro, ...tables].join("\n\n") };
}

/** A row for each detector, a column for each scene. */
export function detectionTable(
  { detectors }: Pick<DetectionPlan, "detectors">,
  group: string,
  rows: readonly DetectionRow[],
): string {
  const scenes = [...new Set(rows.map(({ scene }) => scene))];
  const cell = (detector: string, scene: string): string => {
    const { same, other } = rows.find((row) => row.detector === detector && row.scene === scene)!.outcomes;
    return other === 0 ? `${same}` : `${same} + ${other}`;
  };
  return table(
    [group, ...scenes],
    detectors.map((detector) => [detector, ...scenes.map((scene) => cell(detector, scene))]),
  );
}

type DetectionPlan = { detectors: string[]; groups: string[]; photographs: number };
type DetectionRow = {
  detector: string;
  scene: string;
  outcomes: { same: number; other: number; refused: number };
};
