import type { Model } from "./catalogue-entry.ts";
import { checkWithin } from "./contract/bounded-check.ts";
import { goldenFault } from "./golden.ts";
import { readModel } from "./model-file.ts";
import { checkSource } from "./source.ts";

/**
 * Checks the source of a model and its built files, and runs an added model on its golden faces. Returns a
 * line for each fault. build.test.ts and add.test.ts cover it.
 */
export async function verifyModel(folder: string, model: Model): Promise<string[]> {
  const checks = [
    checkSource(folder, model),
    ...model.builds.map((build) => readModel(folder, model, build)),
  ];
  const checked = await Promise.allSettled(checks);
  const faults = checked
    .filter((check) => check.status === "rejected")
    .map(({ reason }) => (reason instanceof Error ? reason.message : String(reason)));
  return faults.length > 0 ? faults : verifyGolden(folder, model);
}

async function verifyGolden(folder: string, model: Model): Promise<string[]> {
  if (model.role !== "embedding" || model.golden === undefined) return [];
  const onnx = await readModel(folder, model, model.builds[0]!);
  const shape = { input: { px: model.input_px }, output: { length: model.embedding_size } };
  try {
    const embeddings = await checkWithin(onnx, shape);
    return [goldenFault(model.name, model.golden, embeddings) ?? []].flat();
  } catch (error) {
    return [`${model.name}: ${(error as Error).message}`];
  }
}
