import * as z from "zod";
import { type EmbeddingModel, euclideanL2Of, LabelledPairs } from "./catalogue-entry.ts";

/**
 * Two embedding models that see the same faces. The embedding of a pair is that of each model at length 1,
 * times the square root of its weight, one after the other. So its cosine distance is the weighted mean of
 * the two cosine distances, and everything that compares, stores or searches embeddings takes it as any
 * other.
 *
 * The weights are in inverse proportion to the models' own thresholds, which puts both distances on one scale
 * (score normalisation before a sum, ISO/IEC TR 24722). They are part of the version of the pair.
 */
export type ModelPair = { role: "pair"; members: readonly [EmbeddingModel, EmbeddingModel] } & {
  /** One for each member; their sum is 1. */
  weights: readonly [number, number];
} & Pick<EmbeddingModel, SharedField> & { embedding_norm?: undefined };

/** What calls name as their model: an embedding model, or a pair of them. */
export type Recogniser = EmbeddingModel | ModelPair;

/** The embedding models whose networks a recogniser runs. */
export const membersOf = (recogniser: Recogniser): readonly EmbeddingModel[] =>
  recogniser.role === "pair" ? recogniser.members : [recogniser];

/** The weight of each member in a distance. */
export const weightsOf = (recogniser: Recogniser): readonly number[] =>
  recogniser.role === "pair" ? recogniser.weights : [1];

/** `catalogue/pairs.json`: cosine thresholds of pairs that were measured, by the names of the pairs. */
export const MeasuredPairs = z.record(
  z.string(),
  z.strictObject({
    cosine: z.number().positive().max(2),
    cosine_from: z.string().min(1),
    labelled_pairs: LabelledPairs,
  }),
);
export type MeasuredPairs = z.infer<typeof MeasuredPairs>;

/**
 * Returns every pair of models that align faces by the same landmarks and know a normalization in common,
 * named `A+B` in the order of the alphabet.
 */
export function pairsOf(models: readonly EmbeddingModel[], measured: MeasuredPairs = {}): ModelPair[] {
  const sorted = models.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap((a, i) =>
    sorted.slice(i + 1).flatMap((b) => {
      const normalizations = a.normalizations.filter((each) => b.normalizations.includes(each));
      if (a.landmarks !== b.landmarks || normalizations.length === 0) return [];
      return [pairOf([a, b], normalizations, measured[`${a.name}+${b.name}`])];
    }),
  );
}

function pairOf(
  members: readonly [EmbeddingModel, EmbeddingModel],
  normalizations: string[],
  measured: MeasuredPairs[string] | undefined,
): ModelPair {
  const [a, b] = members;
  const [scaleA, scaleB] = [1 / a.thresholds.cosine, 1 / b.thresholds.cosine];
  // The distance at which both models are at their own thresholds.
  const derived = Number((2 / (scaleA + scaleB)).toFixed(4));
  const { cosine, cosine_from, labelled_pairs } = measured ?? {
    cosine: derived,
    labelled_pairs: undefined,
    cosine_from: `Derived: the distance of two faces that are at the threshold of ${a.name} and at that of ${b.name}.`,
  };
  return {
    role: "pair",
    name: `${a.name}+${b.name}`,
    title: `${a.title}, with ${b.title}`,
    members,
    weights: [scaleA / (scaleA + scaleB), scaleB / (scaleA + scaleB)],
    input_px: Math.max(a.input_px, b.input_px),
    landmarks: a.landmarks,
    embedding_size: a.embedding_size + b.embedding_size,
    thresholds: { cosine, euclidean: euclideanL2Of(cosine), euclidean_l2: euclideanL2Of(cosine) },
    thresholds_from: {
      cosine: cosine_from,
      euclidean: "Embeddings have the length 1, so it is the one of euclidean_l2.",
      euclidean_l2: "Derived: sqrt(2 * cosine), the same line drawn in another unit.",
    },
    ...(labelled_pairs && { labelled_pairs }),
    normalizations,
    licenses: [...a.licenses, ...b.licenses],
  };
}

type SharedField =
  | "name"
  | "title"
  /** The larger of both. */
  | "input_px"
  | "landmarks"
  | "embedding_size"
  | "thresholds"
  | "thresholds_from"
  | "thresholds_calibration"
  | "labelled_pairs"
  | "false_match_curves"
  | "normalizations"
  | "licenses";
