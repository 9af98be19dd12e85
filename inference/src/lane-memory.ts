import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import type { Model, Precision } from "@faceline/models/catalogue-entry";
import { type LaneModels, laneModels, networkModels } from "./engine/lane-models.ts";
import type { ModelLoaderOptions } from "./network/model-loader.ts";
import { precisionFor } from "./network/precision.ts";

/** Reads from the catalogue what lanes will take. Throws one sentence where it does not have a model. */
export async function readLaneMemory(
  lanes: readonly LaneId[],
  options: Pick<ModelLoaderOptions, "modelsDir" | "precision" | "executionProvider">,
): Promise<LaneMemory> {
  const catalogue = await readCatalogue(undefined, addedFolder(options.modelsDir));
  return new LaneMemory(laneModels(catalogue, lanes), options);
}

/**
 * Memory of the models of lanes, reckoned as the size of their files: loaded networks take about that. A
 * model counts once, however many lanes use it.
 */
export class LaneMemory {
  readonly #models: ReadonlyMap<LaneId, readonly Model[]>;
  readonly #precisions: Map<string, Precision>;
  readonly #isCpu: boolean;

  constructor(
    lanes: readonly LaneModels[],
    { precision, executionProvider }: Pick<ModelLoaderOptions, "precision" | "executionProvider">,
  ) {
    this.#models = new Map(lanes.map((each) => [each.lane, networkModels(each)]));
    const models = [...this.#models.values()].flat();
    this.#precisions = new Map(
      models.map((model) => [model.name, precisionFor(model, precision, executionProvider)]),
    );
    this.#isCpu = executionProvider === "cpu";
  }

  /** Takes over the precisions of a loaded lane: int8 may have fallen back to float. */
  learn({ precisions }: LoadedLane): void {
    for (const { model, precision } of precisions) this.#precisions.set(model, precision);
  }

  /** Memory of all these lanes together. */
  bytesOf(lanes: readonly LaneId[]): number {
    const models = new Set(lanes.flatMap((lane) => this.#models.get(lane) ?? []));
    return [...models].reduce((sum, model) => sum + this.#bytesOfModel(model), 0);
  }

  /**
   * Throws one sentence where `mebibytes` do not suffice: for each lane alone, or for all that are loaded at
   * the start.
   */
  requireRoom(mebibytes: number, loadAtStart: readonly LaneId[]): void {
    const isTooLarge = (lanes: readonly LaneId[]) => this.bytesOf(lanes) > mebibytes * 2 ** 20;
    const setting = `MODELS_MEMORY_MIB=${mebibytes} is too little`;
    const needed = (lanes: readonly LaneId[]) => `${Math.ceil(this.bytesOf(lanes) / 2 ** 20)} MiB`;
    for (const lane of this.#models.keys()) {
      if (isTooLarge([lane]))
        throw new Error(`${setting} for the lane ${lane}, which takes ${needed([lane])}`);
    }
    if (!isTooLarge(loadAtStart)) return;
    throw new Error(
      `${setting} for all lanes of MODELS and DETECTORS, which take ${needed(loadAtStart)}; raise it, or set ` +
        "MODELS_LOAD=first_call, with which lanes leave again",
    );
  }

  #bytesOfModel(model: Model): number {
    const precision = this.#precisions.get(model.name);
    return model.builds
      .filter((build) => build.precision === precision && (this.#isCpu || build.input_px === model.input_px))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
