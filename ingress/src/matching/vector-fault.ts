import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { type EmbeddingModel, embeddingNorm } from "@faceline/models/catalogue-entry";
import type { NumericVector } from "./distance.ts";

/**
 * Returns why a vector cannot be an embedding of the model that this metric may compare, as the end of a
 * sentence; undefined if it may be one.
 *
 * `cosine` and `euclidean_l2` do not depend on lengths, so they accept rescaled embeddings. A euclidean
 * threshold is valid only for the lengths of the model: for embeddings of Dlib that were scaled to length 1,
 * it takes more than half of the pairs of different people for one person.
 */
export function vectorFault(
  vector: NumericVector,
  model: Pick<EmbeddingModel, "name" | "embedding_norm">,
  metric: DistanceMetric,
): string | undefined {
  const norm = Math.sqrt(squares(vector));
  // What a failed extraction leaves behind, or memory that was read in another number format.
  if (!(norm >= normMin)) return "is not an embedding: its numbers are zero, or nearly.";
  if (norm > normMax) return "is not an embedding: its numbers are too large.";
  if (metric !== "euclidean") return undefined;

  const { min, max } = embeddingNorm(model);
  if (norm >= min * (1 - roundingShare) && norm <= max * (1 + roundingShare)) return undefined;
  if (Math.abs(norm - 1) <= roundingShare) {
    return "has length 1: compare it by cosine or euclidean_l2, or send the raw embedding.";
  }
  const lengths = min === max ? `length ${min}` : `lengths from ${min} to ${max}`;
  return `does not have the length of an embedding of ${model.name} (${lengths}): compare it by cosine or euclidean_l2.`;
}

/** Overflows to Infinity and underflows to 0 if the norm is far beyond the limits below. */
function squares(vector: NumericVector): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  return sum;
}

/** Wide enough for embeddings that were stored as integers of 8 to 32 bits, or multiplied by a scale. */
const normMin = 1e-6;
const normMax = 1e12;

/** Embeddings that were stored with two decimals are off by less. */
const roundingShare = 0.01;
