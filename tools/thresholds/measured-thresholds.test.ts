import assert from "node:assert/strict";
import { test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { falseMatchCurve, falseMatchRate } from "@faceline/models/false-match-curve";
import { measuredThresholds } from "./measured-thresholds.ts";
import type { LaneReport } from "./report/report.ts";
import { clopperPearson } from "./statistics/binomial.ts";
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
  assert.deepEqual(false_match_curves!.cosine, { pairs: 2, distances: [0.2, 0.3], ranks: [1, 2] });
  assert.deepEqual(false_match_curves!.euclidean, { pairs: 2, distances: [2, 3], ranks: [1, 2] });
  assert.deepEqual([calibration.pairs_different, calibration.detector], [2, "ssd"]);
  assert.equal(measuredThresholds(reportOf("refused"), new Date(0)), undefined);
});

test("a rate is within the interval of the rate on pairs that it was not fitted on, made-up ones", (t) => {
  const random = mulberry32(5);
  // The sum of eight: about normal, and exactly as likely in both sets.
  const drawn = (count: number) =>
    Array.from({ length: count }, () => Array.from({ length: 8 }, random).reduce((sum, each) => sum + each));
  const pairsOf = (distances: number[]) => distances.map((distance) => ({ distance, same: false }));
  let [within, all] = [0, 0];
  for (let draw = 0; draw < 60; draw++) {
    const rateAt = falseMatchRate(falseMatchCurve(drawn(20_000).toSorted((a, b) => a - b))!);
    const heldOut = new ErrorCurve(pairsOf(drawn(2_000)));
    for (const distance of [1.6, 2, 2.4, 2.8, 3.2, 3.6, 4, 4.4]) {
      const { low, high } = clopperPearson({ errors: heldOut.falseMatches(distance), trials: 2_000 });
      const rate = rateAt(distance);
      all++;
      if (low <= rate && rate <= high) within++;
    }
  }
  t.diagnostic(`${within} of ${all} rates are within the interval of 95 %`);
  assert.ok(within >= 0.93 * all, `${within} of ${all}`);
});
