import assert from "node:assert/strict";
import { test } from "node:test";
import { measuredThresholds } from "./measured-thresholds.ts";
import type { LaneReport } from "./report/report.ts";
import { ErrorCurve } from "./statistics/error-curve.ts";

test("what is stored has the distances of different people by metric, and nothing where a threshold is refused", () => {
  const metricOf = (metric: string, kind: string, scale: number) => ({
    metric,
    proposals: [{ kind, wanted: 0.5, threshold: scale, bound: 0.4 }],
    analysis: {
      curve: new ErrorCurve([3, 1, 2].map((each) => ({ distance: each * scale, same: each === 1 }))),
      fmr: { pairs: 2 },
      fnmr: { pairs: 1 },
    },
  });
  const reportOf = (kind: string) => {
    const metrics = [metricOf("cosine", kind, 0.1), metricOf("euclidean", kind, 1)];
    return { lane: "Dlib/ssd", people: 3, metrics } as unknown as LaneReport;
  };
  const { false_match_curves, calibration } = measuredThresholds(reportOf("proposed"), new Date(0))!;
  assert.deepEqual(false_match_curves.cosine, { pairs: 2, distances: [0.2, 0.3], ranks: [1, 2] });
  assert.deepEqual(false_match_curves.euclidean, { pairs: 2, distances: [2, 3], ranks: [1, 2] });
  assert.deepEqual([calibration.pairs_different, calibration.detector], [2, "ssd"]);
  assert.equal(measuredThresholds(reportOf("refused"), new Date(0)), undefined);
});
