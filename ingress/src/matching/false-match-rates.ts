import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { falseMatchCurve, falseMatchRate } from "@faceline/models/false-match-curve";

/**
 * Returns the false match rates of a model's distances: by the operator's calibration where the thresholds
 * come from one, else by the pairs of the model's own entry. Null where those have none; a calibration of an
 * older release has none.
 */
export function falseMatchRatesOf(model: FalseMatchModel): FalseMatchRates | null {
  const { thresholds_calibration, labelled_pairs } = model;
  const source = thresholds_calibration === undefined ? "card" : "operator";
  const measured = (metric: "cosine" | "euclidean") =>
    model.false_match_curves?.[metric] ??
    (source === "card" ? falseMatchCurve(labelled_pairs?.[metric].different ?? []) : undefined);
  const [cosine, euclidean] = [measured("cosine"), measured("euclidean")];
  if (cosine === undefined || euclidean === undefined) return null;
  const byCosine = falseMatchRate(cosine);
  return {
    source,
    pairs: cosine.pairs,
    of: {
      cosine: byCosine,
      euclidean: falseMatchRate(euclidean),
      // Of vectors of length 1, the squared Euclidean distance is twice the cosine distance.
      euclidean_l2: (distance) => byCosine((distance * distance) / 2),
    },
  };
}

type FalseMatchModel = Pick<
  EmbeddingModel,
  "thresholds_calibration" | "false_match_curves" | "labelled_pairs"
>;

export type FalseMatchRates = {
  /** Whose pairs they rest on. */
  source: "operator" | "card";
  /** Pairs of different people. */
  pairs: number;
  of: Record<DistanceMetric, (distance: number) => number>;
};
