import type { Model } from "./catalogue.ts";
import { readModel } from "./model-file.ts";
import { readSource } from "./source.ts";

/** What is wrong with the weights that a model is made from and with its built files: a line for each fault. */
export async function verifyModel(folder: string, model: Model): Promise<string[]> {
  const checks = [readSource(model.source), ...model.builds.map((build) => readModel(folder, model, build))];
  const checked = await Promise.allSettled(checks);
  return checked
    .filter((check) => check.status === "rejected")
    .map(({ reason }) => (reason instanceof Error ? reason.message : String(reason)));
}
