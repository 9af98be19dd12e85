import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { distancesMax, type EmbeddingModel } from "@faceline/models/catalogue-entry";
import { falseMatchRate } from "@faceline/models/false-match-curve";
import type { Recogniser } from "@faceline/models/model-pair";

/**
 * Returns the false match rates of a model's distances: by the operator's calibration where the thresholds
 * come from one, else by the model's card. Null where those have no curves, as of a model that was not
 * measured.
 */
export function falseMatchRatesOf({
  thresholds_calibration,
  false_match_curves: curves,
}: FalseMatchModel): FalseMatchRates | null {
  if (curves === undefined) return null;
  const byCosine = falseMatchRate(curves.cosine);
  return {
    source: thresholds_calibration === undefined ? "card" : "operator",
    pairs: curves.cosine.pairs,
    of: {
      cosine: byCosine,
      euclidean: falseMatchRate(curves.euclidean),
      // Of vectors of length 1, the squared Euclidean distance is twice the cosine distance.
      euclidean_l2: (distance) => byCosine((distance * distance) / 2),
    },
  };
}

/**
 * Returns the largest threshold that a request may have: half of the pairs of different people are within it.
 * The model's own is always allowed. Without rates, it is the largest distance of two embeddings.
 */
export function thresholdMax(
  metric: DistanceMetric,
  model: Recogniser,
  rates: FalseMatchRates | null,
): number {
  const distanceMax = distancesMax(model)[metric];
  if (rates === null) return distanceMax;
  // In millionths: distances have six decimals.
  let [low, high] = [0, Math.round(distanceMax * 1e6)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rates.of[metric](middle / 1e6) <= 0.5) low = middle;
    else high = middle - 1;
  }
  return Math.max(low / 1e6, model.thresholds[metric]);
}

type FalseMatchModel = Pick<EmbeddingModel, "thresholds_calibration" | "false_match_curves">;

export type FalseMatchRates = {
  /** Whose pairs they rest on. */
  source: "operator" | "card";
  /** Pairs of different people. */
  pairs: number;
  of: Record<DistanceMetric, (distance: number) => number>;
};
