import { existsSync } from "node:fs";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Catalogue } from "@faceline/models/catalogue";
import type { DetectorModel, EmbeddingModel, ModelOf } from "@faceline/models/catalogue-entry";
import { modelFile, pullCommand } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";

/**
 * The catalogue entries behind each lane: its detector, its embedding model, and the landmark model that the
 * embedding model names. Throws one sentence with every name that the catalogue does not have.
 */
export function laneModels(catalogue: Catalogue, lanes: readonly LaneId[]): LaneModels[] {
  const mistakes = new Set<string>();
  const find = <R extends "detector" | "embedding">(role: R, name: string): ModelOf<R> | undefined => {
    const model = catalogue.find(role, name);
    if (model === undefined) {
      const known = catalogue.models.filter((each) => each.role === role).map((each) => each.name);
      mistakes.add(`no ${role} model ${name} (there are ${known.join(", ")})`);
    }
    return model;
  };
  const found = lanes.flatMap((lane) => {
    const [embeddingName = "", detectorName = ""] = lane.split("/");
    const embedding = find("embedding", embeddingName);
    const detector = find("detector", detectorName);
    return embedding && detector ? [{ lane, detector, embedding }] : [];
  });
  if (mistakes.size > 0)
    throw new Error(`MODELS and DETECTORS: the catalogue has ${[...mistakes].join(", and ")}`);
  return found.map((models) => ({
    ...models,
    // readCatalogue has checked that it is there.
    landmarks: catalogue.find("landmarks", models.embedding.landmarks)!,
  }));
}

/** Throws one sentence where models of lanes were neither pulled nor built. */
export function requirePulled(folder: string, lanes: readonly LaneModels[]): void {
  const models = new Set(
    lanes.flatMap(({ detector, landmarks, embedding }) => [detector, landmarks, embedding]),
  );
  const absent = [...models].filter(
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
  detector: DetectorModel;
  landmarks: ModelOf<"landmarks">;
  embedding: EmbeddingModel;
};
