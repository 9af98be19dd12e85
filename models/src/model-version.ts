import { createHash } from "node:crypto";
import type { EmbeddingModel, Model, ModelOf } from "./catalogue-entry.ts";
import type { Source } from "./catalogue-source.ts";

/**
 * Names what our own code does between an image and a chip: decoding, detection, landmarks, alignment and
 * drawing. Raise it when that moves by more than rounding: inference/src/engine/chips.test.ts fails then.
 */
export const alignmentVersion = 1;

/**
 * Names everything that a model's embeddings depend on: its weights and chip, the landmark model and the
 * alignment. Twelve hexadecimal digits. It is made from the files that the builds are converted from, so
 * every precision has the same one, and embeddings of one version may be stored and compared.
 */
export function modelVersionOf(recogniser: EmbeddingModel, landmarks: ModelOf<"landmarks">): string {
  const parts = [alignmentVersion, computationOf(recogniser), computationOf(landmarks)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}

/**
 * Returns the fields of an entry that its results depend on, and the hashes of its source files. A field
 * counts unless it is known to have no effect.
 */
export function computationOf(model: Model): unknown {
  const fields = Object.entries(model).filter(([field]) => !fieldsWithoutEffect.has(field));
  return [Object.fromEntries(fields), sourceHashes(model.source)];
}

/** Words, bounds for verdicts, what was measured, and the builds, which follow from the source. */
const fieldsWithoutEffect: ReadonlySet<string> = new Set(
  `name title licenses training_data provenance source builds calibration batch_buckets found_width_share
  normalizations embedding_norm thresholds thresholds_from thresholds_calibration labelled_pairs
  false_match_curves golden`.split(/\s+/),
);

function sourceHashes(source: Source): string[] {
  switch (source.kind) {
    case "npm_tfjs":
    case "npm_tarball":
      return [source.manifest.sha256, ...source.weights.map(({ sha256 }) => sha256)];
    case "onnx_file":
    case "wheel_onnx":
      return [source.file.sha256];
  }
}
