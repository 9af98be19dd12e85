import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import { falseMatchCurve } from "@faceline/models/false-match-curve";
import { falseMatchRatesOf } from "./false-match-rates.ts";

const dlib = (await readCatalogue()).find("embedding", "Dlib")!;
const { false_match_curves: carded, ...uncarded } = dlib;
const calibration = {
  calibrated_at: "2026-11-22T23:00:00.000Z",
  fmr_wanted: 0.01,
  pairs_same: 1,
  pairs_different: 2,
  people: 3,
  detector: "ssd",
};
const curve = falseMatchCurve([0.1, 0.3])!;
const curves = { cosine: curve, euclidean: curve };

test("Dlib's rates are those of the pairs of its card", () => {
  const rates = falseMatchRatesOf(dlib)!;
  const { pairs, distances, ranks } = carded!.cosine;
  assert.deepEqual([rates.source, rates.pairs], ["card", pairs]);
  for (const [i, distance] of distances.entries()) {
    const counted = ranks[i]! / (pairs + 1);
    assert.ok(Math.abs(rates.of.cosine(distance) / counted - 1) < 0.01, `${distance}`);
  }
});

test("of labelled pairs, which no card has, fewer are this close than the card says, by a factor of 4", () => {
  const { of } = falseMatchRatesOf(dlib)!;
  const { different } = dlib.labelled_pairs!.cosine;
  const nearer = different.slice(0, different.length / 2);
  for (const [i, distance] of nearer.entries()) {
    const share = (i + 1) / different.length;
    const factor = of.cosine(distance) / share;
    assert.ok(factor > 1 && factor < 4, `${distance}: ${factor}`);
  }
});

test("by euclidean_l2 a distance has the rate of the same pair by cosine", () => {
  const { of } = falseMatchRatesOf(dlib)!;
  for (const cosine of [0, 0.05, 0.0937, 0.12, 0.2, 1, 2]) {
    assert.equal(of.euclidean_l2(Math.sqrt(2 * cosine)), of.cosine(cosine));
  }
});

test("the mean of several references has the greater rate of the nearest counts that were measured", () => {
  const at = (distance: number) => falseMatchCurve([distance, 0.9])!;
  const references = [
    { count: 2, cosine: at(0.1) },
    { count: 3, cosine: at(0.5) },
    { count: 5, cosine: at(0.3) },
  ];
  const rates = falseMatchRatesOf({ false_match_curves: { ...curves, references } })!;
  const rateOf = (count: number) => rates.ofReferences("cosine", 0.3, count);
  assert.deepEqual([1, 2, 3, 4, 5].map(rateOf), [0.667, 0.396, 0.333, 0.333, 0.333]);
  assert.equal(rates.ofReferences("euclidean_l2", Math.sqrt(0.6), 4), 0.333);
  // What was not measured is not known, neither is a mean by a metric that depends on lengths.
  assert.equal(rateOf(6), null);
  assert.equal(rates.ofReferences("euclidean", 0.3, 2), null);
  assert.equal(falseMatchRatesOf({ false_match_curves: curves })!.ofReferences("cosine", 0.3, 2), null);
});

test("an operator's calibration comes before the card, and without curves there are no rates", () => {
  const own = { ...dlib, thresholds_calibration: calibration };
  const rates = falseMatchRatesOf({ ...own, false_match_curves: curves })!;
  assert.deepEqual([rates.source, rates.pairs], ["operator", 2]);
  assert.equal(rates.of.cosine(0.05), 0.333);
  assert.equal(falseMatchRatesOf({ ...own, false_match_curves: undefined }), null);
  assert.equal(falseMatchRatesOf(uncarded), null);
});
