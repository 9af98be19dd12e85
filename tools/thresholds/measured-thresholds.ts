import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { type FalseMatchCurve, falseMatchCurve } from "@faceline/models/false-match-curve";
import type { MeasuredThresholds } from "@faceline/models/local-thresholds";
import type { LaneReport } from "./report/report.ts";

/**
 * The thresholds that a report with one wanted false match rate proposes, and the distances of different
 * people, as they are stored; undefined if one of the thresholds is refused.
 */
export function measuredThresholds(
  { lane, people, metrics }: LaneReport,
  now: Date,
): MeasuredThresholds | undefined {
  const thresholds = new Map<DistanceMetric, number>();
  const curves = new Map<DistanceMetric, FalseMatchCurve>();
  for (const { metric, proposals, analysis } of metrics) {
    const [proposal] = proposals;
    if (proposal?.kind !== "proposed") return undefined;
    thresholds.set(metric, proposal.threshold);
    curves.set(metric, falseMatchCurve(analysis.curve.different)!);
  }
  const { analysis, proposals } = metrics[0]!;
  return {
    thresholds: {
      cosine: thresholds.get("cosine")!,
      euclidean: thresholds.get("euclidean")!,
      euclidean_l2: thresholds.get("euclidean_l2")!,
    },
    false_match_curves: { cosine: curves.get("cosine")!, euclidean: curves.get("euclidean")! },
    calibration: {
      calibrated_at: now.toISOString(),
      fmr_wanted: proposals[0]!.wanted,
      pairs_same: analysis.fnmr.pairs,
      pairs_different: analysis.fmr.pairs,
      people,
      detector: lane.split("/")[1]!,
    },
  };
}
