import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { distancesMax, type EmbeddingModel } from "@faceline/models/catalogue-entry";
import { falseMatchRate } from "@faceline/models/false-match-curve";

/**
 * Returns the false match rates of a model's distances: from the operator's calibration if the thresholds
 * come from one, else from the model's card. Null if those have no curves, as for a model that was not
 * measured.
 */
export function falseMatchRatesOf({
  thresholds_calibration,
  false_match_curves: curves,
}: FalseMatchModel): FalseMatchRates | null {
  if (curves === undefined) return null;
  const byCosine = falseMatchRate(curves.cosine);
  const byCount = [
    { count: 1, rate: byCosine },
    ...(curves.references ?? []).map(({ count, cosine }) => ({ count, rate: falseMatchRate(cosine) })),
  ];
  return {
    source: thresholds_calibration === undefined ? "card" : "operator",
    pairs: curves.cosine.pairs,
    of: {
      cosine: byCosine,
      euclidean: falseMatchRate(curves.euclidean),
      euclidean_l2: (distance) => byCosine(cosineOf(distance)),
    },
    ofReferences(metric, distance, count) {
      const below = byCount.findLast((each) => each.count <= count)!;
      const above = byCount.find((each) => each.count >= count);
      if (above === undefined || metric === "euclidean") return null;
      const cosine = metric === "cosine" ? distance : cosineOf(distance);
      return Math.max(below.rate(cosine), above.rate(cosine));
    },
  };
}

/**
 * Returns the largest threshold that a request may have: half of the pairs of different people are within it.
 * The model's own is always allowed. Without rates, it is the largest possible distance of two embeddings.
 */
export function thresholdMax(
  metric: DistanceMetric,
  model: EmbeddingModel,
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

/** The squared Euclidean distance of vectors of length 1 is twice the cosine distance. */
const cosineOf = (euclideanL2: number): number => (euclideanL2 * euclideanL2) / 2;

type FalseMatchModel = Pick<EmbeddingModel, "thresholds_calibration" | "false_match_curves">;

export type FalseMatchRates = {
  /** The measurements behind them. */
  source: "operator" | "card";
  /** Pairs of different people. */
  pairs: number;
  of: Record<DistanceMetric, (distance: number) => number>;
  /**
   * The rate of a distance from the mean of `count` references, from the nearest counts that were measured:
   * the greater of two rates. Null above the largest.
   */
  ofReferences(metric: DistanceMetric, distance: number, count: number): number | null;
};
