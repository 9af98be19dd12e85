import { ApiError } from "../call/api-error.ts";
import type { SelectedModels } from "./enabled-models.ts";
import { thresholdMax } from "../matching/false-match-rates.ts";
import type { MatchRule } from "../matching/ranking.ts";

/**
 * Returns the metric and threshold of a request, and what its response says about the threshold. The
 * threshold is the model's own if the request has none. Faces that are not aligned have no false match rate,
 * because none was measured for them.
 *
 * `referencesMost`: the largest number of references of one person. Throws `invalid_request` for several
 * references with a metric that depends on lengths, and for a threshold that most pairs of different people
 * are within, such as a percentage or another library's threshold.
 */
export function matchRule(
  fields: ThresholdFields,
  { model, falseMatchRates }: SelectedModels,
  referencesMost: number,
) {
  const metric = fields.distance_metric;
  if (referencesMost > 1 && metric === "euclidean") {
    const detail =
      "Several references of one person are compared by cosine or euclidean_l2: their mean does not have the length of an embedding.";
    throw new ApiError("invalid_request", detail, { field: "distance_metric" });
  }
  const own = model.thresholds[metric];
  const { threshold = own } = fields;
  const max = threshold > own ? thresholdMax(metric, model, falseMatchRates) : own;
  if (threshold > max) {
    const detail =
      `threshold is a distance: for ${metric} of ${model.name} it is between 0 and ${max}. ` +
      `A larger one would match most pairs of different people. Leave it out for the model's own, ${own}.`;
    throw new ApiError("invalid_request", detail, { field: "threshold" });
  }
  const rateOf = falseMatchRates?.of[metric] ?? (() => null);
  const falseMatchRate = (distance: number, references: number): number | null => {
    if (!fields.align || falseMatchRates === null) return null;
    return references === 1 ? rateOf(distance) : falseMatchRates.ofReferences(metric, distance, references);
  };
  const rate = rateOf(threshold) ?? 0;
  const detail =
    `The threshold ${threshold} matches about ${Math.round(100 * rate)}% of pairs of different people. ` +
    `For ${metric}, ${model.name} has its own, ${own}: leave threshold out to use it.`;
  const warnings = threshold > own && rate > rateWarned ? [{ code: "threshold_too_high", detail }] : [];
  const threshold_false_match_rate = falseMatchRate(threshold, referencesMost);
  const responseFields = { threshold, threshold_false_match_rate, warnings };
  return { metric, threshold, falseMatchRate, responseFields };
}

/** Share of pairs of different people. A threshold that matches more of them comes with a warning. */
const rateWarned = 0.1;

type ThresholdFields = {
  distance_metric: MatchRule["metric"];
  threshold?: number | undefined;
  align: boolean;
};
