import { buildModel } from "../src/build.ts";
import type { Model, Variant } from "../src/catalogue-entry.ts";
import { buildOf, modelsFolder, readModel } from "../src/model-file.ts";

/**
 * The bytes of a build of the catalogue, from the folder of built models, where it is made if it is absent.
 * build.test.ts proves that the converters give these bytes.
 */
export async function builtModel(model: Model, variant: Variant): Promise<Uint8Array> {
  await buildModel(modelsFolder, model, buildOf(model, variant));
  return readModel(modelsFolder, model, variant);
}
