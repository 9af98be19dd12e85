import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { goldenFaces, goldenFault } from "@faceline/models/golden";
import type { Network } from "./network.ts";

/**
 * Runs a model that an operator added on its golden faces. Throws one sentence if this machine's engine gives
 * other embeddings than those of the entry.
 */
export async function requireGolden(model: EmbeddingModel, network: Network): Promise<void> {
  if (model.golden === undefined) return;
  const faces = goldenFaces(network.px);
  const embeddings: Float32Array[] = [];
  await network.run(faces.length, {
    write: (i, row) => row.set(faces[i]!),
    read: (i, output) => {
      embeddings[i] = output("embedding").slice();
    },
  });
  network.wipe();
  const fault = goldenFault(model.name, model.golden, embeddings);
  if (fault !== undefined) throw new Error(fault);
}
