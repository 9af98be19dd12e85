import assert from "node:assert/strict";
import { before, test } from "node:test";
import { distances } from "@faceline/inference/testing/distances";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { madeDistanceMax, madePeople } from "../testing/made-people.ts";
import { compareAll, type Enrolment } from "./all-pairs.ts";
import { analyseAll } from "./all-pairs-analysis.ts";
import type { Analysis } from "./analysis.ts";
import { DistanceSteps } from "./distance-histogram.ts";
import { ErrorCurve } from "./error-curve.ts";
import { operatingPoint } from "./operating-point.ts";
import { type PersonPair, personBootstrap, separationOf } from "./person-bootstrap.ts";
import { varianceOf } from "./rate-evidence.ts";

// Covers all-pairs-analysis.ts, cluster-sums.ts, distance-histogram.ts and operating-point.ts too.

const distancesMax = { cosine: 2, euclidean: madeDistanceMax, euclidean_l2: 2 };
const enrolment = madePeople(60, 1);
const pairs = pairsByApi(enrolment);
const curve = new ErrorCurve(pairs);
let counts: ReturnType<typeof compareAll>;
let analysis: Analysis;

before(() => {
  counts = compareAll(enrolment, { distancesMax, progress: () => {} });
  analysis = analyseAll(counts.euclidean, 60);
});

test("counts at thresholds of four decimals are those of the API's rounded distances", () => {
  assert.equal(analysis.fmr.pairs, curve.different.length);
  assert.equal(analysis.fnmr.pairs, curve.same.length);
  for (let threshold = 0; threshold < 10; threshold += 0.0137) {
    const rounded = Number(threshold.toFixed(4));
    assert.equal(analysis.curve.falseMatches(rounded), curve.falseMatches(rounded), `${rounded}`);
    assert.equal(analysis.curve.falseNonMatches(rounded), curve.falseNonMatches(rounded), `${rounded}`);
  }
});

test("a distance belongs to the first step that is not below it, after the API's rounding", () => {
  const steps = new DistanceSteps(2);
  assert.deepEqual(
    [0, 0.0001, 0.0001000004, 0.000101, 0.3, 2, 5].map((distance) => steps.stepOf(distance)),
    [0, 1, 1, 2, 3_000, 20_000, 20_000],
  );
  assert.ok(new DistanceSteps(40_000).count <= 1e6, "wide distances have wide steps");
});

test("in the AUC, equal distances count half", () => {
  const corners = Float32Array.from([1, 0, 0, 1, -1, 0]);
  const two = { size: 2, vectors: corners, starts: Int32Array.of(0, 2, 3), failed: Int32Array.of(0, 0) };
  // The two images of one person are as far apart as one of them from the other person.
  const { cosine } = compareAll(two, { distancesMax, progress: () => {} });
  assert.equal(analyseAll(cosine, 2).auc.value, 3 / 4);
});

test("AUC and d' are those of the pairs, and the equal error rate too", () => {
  const { auc, dPrime } = separationOf(pairs);
  assert.ok(Math.abs(analysis.auc.value - auc) < 1e-5);
  assert.ok(Math.abs(analysis.dPrime.value - dPrime) < 1e-3);
  const { fmr, fnmr } = curve.rates(analysis.equalError.threshold);
  assert.ok(Math.abs((fmr + fnmr) / 2 - analysis.equalError.rate) < 1e-3);
});

test("the variance is the sum over people of what each adds to the rate, squared", () => {
  for (const step of [25_000, 40_000, 60_000]) {
    const threshold = step / 10_000;
    const { fmr } = curve.rates(threshold);
    const added = Array.from({ length: 60 }, (_, person) =>
      pairs
        .filter(({ same, people }) => !same && people.includes(person))
        .reduce((sum, { distance }) => sum + (distance <= threshold ? 1 : 0) - fmr, 0),
    );
    const variance = added.reduce((sum, each) => sum + each * each, 0) / curve.different.length ** 2;
    assert.ok(Math.abs(counts.euclidean.different.variance(step) / variance - 1) < 1e-9);
  }
});

test("it is near that of drawn people, and not above it", () => {
  const options = { thresholds: [2, 4], resamples: 2_000, random: mulberry32(1) };
  const { fmr, fnmr } = personBootstrap(pairs, options);
  const different = counts.euclidean.different.variance(40_000) / varianceOf(fmr.map(([, rate]) => rate!));
  assert.ok(different > 0.6 && different < 1.05, `${different}`);
  const same = counts.euclidean.same.variance(20_000) / varianceOf(fnmr.map(([rate]) => rate!));
  assert.ok(Math.abs(same - 1) < 0.15, `${same}`);
});

test("an image without a face does not match, in the rate that counts failures", () => {
  const failed = enrolment.failed.reduce((sum, each) => sum + each, 0);
  assert.ok(failed > 0);
  // Five images of each person.
  assert.equal(analysis.fnmrWithFailures.pairs, 60 * 10);
  const lost = 600 - analysis.fnmr.pairs;
  const point = operatingPoint(analysis, 0.01)!;
  const nonMatches = analysis.curve.falseNonMatches(point.threshold);
  assert.equal(point.fnmr.rate, (nonMatches + lost) / 600);
  assert.equal(point.fnmrWithoutFailures, nonMatches / analysis.fnmr.pairs);
});

test("an operating point is at the largest distance that keeps the measured FMR, and needs a match", () => {
  const pairsOfTwo = analysis.fmr.pairs;
  const point = operatingPoint(analysis, 0.01)!;
  assert.ok(analysis.curve.falseMatches(point.threshold) <= 0.01 * pairsOfTwo);
  const next = analysis.curve.different.at(Math.floor(0.01 * pairsOfTwo))!;
  assert.ok(point.threshold < next && point.threshold >= next - 0.02);
  const { low, high } = point.fnmr.interval;
  const { low: here, high: there } = analysis.fnmrWithFailures.interval(
    point.fnmr.rate * analysis.fnmrWithFailures.pairs,
  );
  assert.ok(low < here && high > there, "the FMR leaves the threshold open, so the interval is wider");
  assert.equal(operatingPoint(analysis, 0.9 / pairsOfTwo), undefined);
});

/** All pairs, with the distances that the API would answer. */
function pairsByApi({ size, vectors, starts }: Enrolment): PersonPair[] {
  const images = Array.from({ length: starts.at(-1)! }, (_, index) => ({
    person: starts.findLastIndex((start) => start <= index),
    vector: vectors.subarray(index * size, (index + 1) * size),
  }));
  return images.flatMap((one, index) =>
    images.slice(index + 1).map((other) => ({
      distance: distances.euclidean(one.vector, other.vector),
      same: one.person === other.person,
      people: [one.person, other.person] as const,
    })),
  );
}
