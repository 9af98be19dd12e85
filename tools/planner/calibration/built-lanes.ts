import type { LaneId } from "@faceline/contracts/wire/ids";
import { laneModels, requirePulled } from "@faceline/inference/engine/lane-models";
import { buildModel } from "@faceline/models/build";
import { readCatalogue } from "@faceline/models/catalogue";

/**
 * Builds the models of lanes that are not built yet, into a folder. Throws one sentence where a lane does not
 * exist, or its models were not pulled.
 */
export async function buildLanes(folder: string, lanes: readonly LaneId[]): Promise<void> {
  const models = laneModels(await readCatalogue(), lanes);
  requirePulled(folder, models);
  for (const { detector, landmarks, embedding } of models) {
    for (const model of [detector, landmarks, embedding]) {
      for (const build of model.builds) await buildModel(folder, model, build);
    }
  }
}
