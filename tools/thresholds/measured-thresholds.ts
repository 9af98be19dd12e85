import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { LocalThresholds } from "@faceline/models/local-thresholds";
import type { LaneReport } from "./report/report.ts";

/**
 * The thresholds that a report with one wanted false match rate proposes, as they are stored; undefined where
 * one of them is refused.
 */
export function measuredThresholds(
  { lane, people, metrics }: LaneReport,
  now: Date,
): Pick<LocalThresholds, "thresholds" | "calibration"> | undefined {
  const thresholds = new Map<DistanceMetric, number>();
  for (const { metric, proposals } of metrics) {
    const [proposal] = proposals;
    if (proposal?.kind !== "proposed") return undefined;
    thresholds.set(metric, proposal.threshold);
  }
  const { analysis, proposals } = metrics[0]!;
  return {
    thresholds: {
      cosine: thresholds.get("cosine")!,
      euclidean: thresholds.get("euclidean")!,
      euclidean_l2: thresholds.get("euclidean_l2")!,
    },
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
