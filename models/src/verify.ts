import type { Model } from "./catalogue-entry.ts";
import { goldenFaces, goldenFault } from "./golden.ts";
import { readModel } from "./model-file.ts";
import { checkSource } from "./source.ts";

/**
 * Checks the source of a model and its built files, and runs one that was added on its golden faces. Returns
 * a line for each fault. build.test.ts and add.test.ts cover it.
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
  // Only here, because nothing else that is verified needs an engine.
  const { AdaptedSession } = await import("./contract/embed.ts");
  await using session = await AdaptedSession.open(await readModel(folder, model, model.builds[0]!));
  const embeddings = await session.embed(goldenFaces(model.input_px), model.input_px);
  return [goldenFault(model.name, model.golden, embeddings) ?? []].flat();
}
