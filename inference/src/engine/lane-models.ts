import { existsSync } from "node:fs";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Catalogue } from "@faceline/models/catalogue";
import type { EmbeddingModel, Model, ModelOf } from "@faceline/models/catalogue-entry";
import { type DetectorChoice, detectorsOf } from "@faceline/models/detector-choice";
import { modelFile, pullCommand } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";

/**
 * The catalogue entries behind each lane: its detectors, its embedding model, and the landmark model that the
 * embedding model names. Throws one sentence with every name that the catalogue does not have.
 */
export function laneModels(catalogue: Catalogue, lanes: readonly LaneId[]): LaneModels[] {
  const mistakes = new Set<string>();
  const found = lanes.flatMap((lane) => {
    const [recogniserName = "", detectorName = ""] = lane.split("/");
    const recogniser = catalogue.find("embedding", recogniserName);
    const detector = catalogue.detector(detectorName);
    const missing = (role: string, name: string, known: readonly { name: string }[]) =>
      mistakes.add(`no ${role} model ${name} (there are ${known.map((each) => each.name).join(", ")})`);
    if (!recogniser) missing("embedding", recogniserName, catalogue.all("embedding"));
    if (!detector) missing("detector", detectorName, catalogue.detectors);
    return recogniser && detector ? [{ lane, detector, recogniser }] : [];
  });
  if (mistakes.size > 0)
    throw new Error(`MODELS and DETECTORS: the catalogue has ${[...mistakes].join(", and ")}`);
  return found.map((models) => ({
    ...models,
    // readCatalogue has checked that it is there.
    landmarks: catalogue.find("landmarks", models.recogniser.landmarks)!,
  }));
}

/** Throws one sentence if models of lanes were neither pulled nor built. */
export function requirePulled(folder: string, lanes: readonly LaneModels[]): void {
  const absent = [...new Set(lanes.flatMap(networkModels))].filter(
    (model) =>
      isUnpulled(folder, model.source) &&
      !model.builds.every((build) => existsSync(modelFile(folder, model, build))),
  );
  if (absent.length === 0) return;
  const [were, them] = absent.length === 1 ? ["was", "it"] : ["were", "them"];
  const names = absent.map(({ name }) => name).join(" and ");
  throw new Error(
    `MODELS and DETECTORS: ${names} ${were} not pulled; ${pullCommand(folder, ...absent)} fetches ${them}`,
  );
}

export type LaneModels = {
  lane: LaneId;
  detector: DetectorChoice;
  landmarks: ModelOf<"landmarks">;
  recogniser: EmbeddingModel;
};

/** Every model of a lane that has networks of its own: two detectors if it has `auto`. */
export const networkModels = ({ detector, landmarks, recogniser }: LaneModels): Model[] => [
  ...detectorsOf(detector),
  landmarks,
  recogniser,
];
