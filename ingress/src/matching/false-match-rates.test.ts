import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import { falseMatchCurve } from "@faceline/models/false-match-curve";
import { falseMatchRatesOf } from "./false-match-rates.ts";

const dlib = (await readCatalogue()).find("embedding", "Dlib")!;
const { labelled_pairs, ...uncarded } = dlib;
const { different } = labelled_pairs!.cosine;
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

test("Dlib's rates are those of its 262 labelled pairs of different people", () => {
  const rates = falseMatchRatesOf(dlib)!;
  assert.deepEqual([rates.source, rates.pairs], ["card", 262]);
  for (const [share, tolerance] of [
    [0, 0.0001],
    [0.05, 0.005],
    [0.5, 0.005],
  ] as const) {
    const distance = different[Math.floor(share * 262)]!;
    const counted = different.filter((each) => each <= distance).length / 263;
    assert.ok(Math.abs(rates.of.cosine(distance) - counted) < tolerance, `${distance}`);
  }
  assert.equal(rates.of.cosine(0), 0.0038);
  assert.equal(rates.of.euclidean(0.6), 0.0038);
});

test("by euclidean_l2 a distance has the rate of the same pair by cosine", () => {
  const { of } = falseMatchRatesOf(dlib)!;
  for (const cosine of [0, 0.05, 0.0937, 0.12, 0.2, 1, 2]) {
    assert.equal(of.euclidean_l2(Math.sqrt(2 * cosine)), of.cosine(cosine));
  }
});

test("an operator's calibration replaces the entry's pairs, and one without a curve leaves none", () => {
  const own = falseMatchRatesOf({
    ...dlib,
    thresholds_calibration: calibration,
    false_match_curves: curves,
  })!;
  assert.deepEqual([own.source, own.pairs], ["operator", 2]);
  assert.equal(own.of.cosine(0.05), 0.333);
  assert.equal(falseMatchRatesOf({ ...dlib, thresholds_calibration: calibration }), null);
});

test("a curve of the entry itself comes before its pairs, and a model without either has no rates", () => {
  assert.equal(falseMatchRatesOf({ ...dlib, false_match_curves: curves })!.pairs, 2);
  assert.equal(falseMatchRatesOf(uncarded), null);
  const empty = { ...labelled_pairs!, cosine: { same: [0.1], different: [] } };
  assert.equal(falseMatchRatesOf({ ...dlib, labelled_pairs: empty }), null);
});
