import type { Model } from "../catalogue-entry.ts";
import type { ModelsCall } from "../command-line.ts";
import { acceptTerms, type WantedModel } from "../licence/acceptance.ts";
import { pulledSourceOf, pullModels } from "./pull.ts";
import { asker, progressLine, stopOnSignals } from "./terminal-pull.ts";

/**
 * `npm run models -- pull`: shows the terms of the models, has them accepted, and fetches and installs their
 * weights. Returns the models that are to be built. A model that `npm start` fetches by itself needs no
 * answer here either: its licence is as free as those that npm installs. Throws one sentence.
 */
export async function runPull(
  folder: string,
  models: readonly Model[],
  { names, flags, from }: Pick<ModelsCall, "names" | "flags" | "from">,
): Promise<readonly Model[]> {
  const unknown = names.filter((name) => models.every((model) => model.name !== name));
  if (unknown.length > 0)
    throw new Error(`the catalogue has no ${unknown.join(", ")}; "npm run models -- list" shows its models`);
  const weights = models.filter(({ name }) => names.includes(name));
  const terms: WantedModel[] = weights.flatMap((model) => {
    const source = pulledSourceOf(model);
    return source.kind === "npm_tarball" ? { terms: model, bytes: source.bytes } : [];
  });

  using stop = stopOnSignals();
  await acceptTerms(folder, terms, { flags, ask: asker(stop), print: console.log, now: new Date() });
  const options = { from, print: console.log, progress: progressLine(), stop: stop.signal };
  await pullModels(folder, weights, options);
  return weights;
}
