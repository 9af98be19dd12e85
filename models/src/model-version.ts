import { createHash } from "node:crypto";
import type { ModelOf, Source } from "./catalogue-entry.ts";
import type { Recogniser } from "./model-pair.ts";

/**
 * Names the weights behind a model's embeddings: its own, and those of the landmark model that aligns its
 * faces. Twelve hexadecimal digits. It is made from the files that the builds are converted from, so every
 * precision has the same one, and embeddings of one version may be stored and compared. That of a pair is
 * made from the versions of its members and their weights.
 */
export function modelVersionOf(recogniser: Recogniser, landmarks: ModelOf<"landmarks">): string {
  if (recogniser.role === "pair") {
    const { members, weights } = recogniser;
    return digestOf(members.map((member, i) => `${modelVersionOf(member, landmarks)} ${weights[i]};`));
  }
  return digestOf([recogniser, landmarks].map(({ source }) => `${sourceHashes(source).join()};`));
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("")).digest("hex").slice(0, 12);
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
