import type { Model } from "./catalogue-entry.ts";
import { readModel } from "./model-file.ts";
import { checkSource } from "./source.ts";

/**
 * Checks the source of a model and its built files. Returns a line for each fault. build.test.ts covers it.
 */
export async function verifyModel(folder: string, model: Model): Promise<string[]> {
  const checks = [
    checkSource(folder, model),
    ...model.builds.map((build) => readModel(folder, model, build)),
  ];
  const checked = await Promise.allSettled(checks);
  return checked
    .filter((check) => check.status === "rejected")
    .map(({ reason }) => (reason instanceof Error ? reason.message : String(reason)));
}
