import { createHash } from "node:crypto";
import type { EmbeddingModel, ModelOf, Source } from "./catalogue-entry.ts";

/**
 * Names the weights behind a model's embeddings: its own, and those of the landmark model that aligns its
 * faces. Twelve hexadecimal digits. It is made from the files that the builds are converted from, so every
 * precision has the same one, and embeddings of one version may be stored and compared.
 */
export function modelVersionOf(embedding: EmbeddingModel, landmarks: ModelOf<"landmarks">): string {
  const hash = createHash("sha256");
  for (const { source } of [embedding, landmarks]) hash.update(`${sourceHashes(source).join()};`);
  return hash.digest("hex").slice(0, 12);
}

function sourceHashes(source: Source): string[] {
  switch (source.kind) {
    case "npm_tfjs":
    case "npm_tarball":
      return [source.manifest.sha256, ...source.weights.map(({ sha256 }) => sha256)];
    case "onnx_file":
      return [source.file.sha256];
  }
}
