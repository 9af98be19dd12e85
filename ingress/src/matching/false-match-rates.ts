import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { falseMatchRate } from "@faceline/models/false-match-curve";

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

type FalseMatchModel = Pick<EmbeddingModel, "thresholds_calibration" | "false_match_curves">;

export type FalseMatchRates = {
  /** Whose pairs they rest on. */
  source: "operator" | "card";
  /** Pairs of different people. */
  pairs: number;
  of: Record<DistanceMetric, (distance: number) => number>;
};
