import { laneId } from "@faceline/contracts/wire/ids";
import { openLanes } from "@faceline/inference/engine/lanes";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { labelledNames } from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import { detectorsOf } from "@faceline/models/detector-choice";
import { isUnpulled } from "@faceline/models/source";
import { type Outcome, openReferences, outcomeOf } from "./detection-lanes.ts";
import { detectionScenes } from "./detection-scenes.ts";
import { usual } from "./lanes.ts";

// Outcomes of every scene of the labelled photographs, by detector. A benchmark starts this as a process and
// asks for one group of scenes after another:
//
//     detection.bench.ts   ──► { detectors, groups, photographs }
//     { group: "size" }    ──► [{ detector, scene, outcomes: { same, other, refused } }]

const modelsDir = process.env["MODELS_DIR"]!;
const catalogue = await readCatalogue();
const detectors = catalogue.detectors.filter((choice) =>
  detectorsOf(choice).every(({ source }) => !isUnpulled(modelsDir, source)),
);
const lanes = await openLanes({
  ...oneAtATime,
  modelsDir,
  lanes: detectors.map(({ name }) => laneId(usual.model, name)),
});
const references = await openReferences(modelsDir, labelledNames().toSorted());

async function measure(group: string): Promise<DetectionRow[]> {
  const rows: DetectionRow[] = [];
  for (const { name, make } of detectionScenes.filter((each) => each.group === group)) {
    const own = detectors.map((detector) => ({
      detector: detector.name,
      scene: name,
      outcomes: { same: 0, other: 0, refused: 0 },
    }));
    for (const known of references) {
      const scene = await make(known);
      if (scene === undefined) continue;
      for (const { detector, outcomes } of own) {
        outcomes[await outcomeOf(lanes, laneId(usual.model, detector), { scene, known })]++;
      }
    }
    rows.push(...own);
  }
  return rows;
}

process.on("message", ({ group }: { group: string }) => {
  void measure(group).then((rows) => process.send!(rows));
});
process.once("disconnect", () => process.exit());
process.send!({
  detectors: detectors.map(({ name }) => name),
  groups: [...new Set(detectionScenes.map(({ group }) => group))],
  photographs: references.length,
});

type DetectionRow = { detector: string; scene: string; outcomes: Record<Outcome, number> };
