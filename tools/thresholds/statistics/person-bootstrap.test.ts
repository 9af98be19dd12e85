import assert from "node:assert/strict";
import test from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { type PersonPair, percentileInterval, personBootstrap, separationOf } from "./person-bootstrap.ts";

const same = (distance: number, person = 0): PersonPair => ({
  distance,
  same: true,
  people: [person, person],
});
const different = (distance: number, one = 0, other = 1): PersonPair => ({
  distance,
  same: false,
  people: [one, other],
});

const aucOf = (pairs: PersonPair[]) => separationOf(pairs).auc;

test("the AUC is the share of (same, different) in the right order, and a tie is half", () => {
  assert.equal(aucOf([same(0.1), same(0.4), different(0.3), different(0.5)]), 3 / 4);
  assert.equal(aucOf([same(0.3), different(0.3)]), 1 / 2);
  assert.equal(aucOf([same(0.3), different(0.3), same(0.3), different(0.6)]), 3 / 4);
  assert.equal(aucOf([same(0.9), different(0.3)]), 0);
});

test("d' is the distance of the means in standard deviations", () => {
  // Means 1 and 5; variances 1 and 4.
  const pairs = [same(0), same(2), different(3), different(7)];
  assert.ok(Math.abs(separationOf(pairs).dPrime - 4 / Math.sqrt(2.5)) < 1e-12);
});

test("of a person who is drawn twice a pair counts twice, with a person drawn three times six times", () => {
  const pairs = [same(0.1, 0), same(0.3, 1), different(0.2, 0, 1), different(0.4, 1, 2)];
  // Six numbers below draw the people 0, 0, 1, then 0, 1, 1.
  const numbers = [0, 0.1, 0.5, 0, 0.4, 0.6];
  const random = () => numbers.shift() ?? assert.fail("too many numbers were drawn");
  const { fmr, fnmr } = personBootstrap(pairs, { thresholds: [0.1, 0.2], resamples: 2, random });
  // Without person 2, the pair (0, 1) is all there is of different people.
  assert.deepEqual(
    fmr.map((rates) => [...rates]),
    [
      [0, 1],
      [0, 1],
    ],
  );
  assert.deepEqual(
    fnmr.map((rates) => [...rates].map((rate) => Math.round(rate * 6) / 6)),
    [
      [2 / 6, 2 / 6],
      [4 / 6, 4 / 6],
    ],
  );
});

test("a sample without a pair of one kind is drawn again, and never is where there is no other", () => {
  const pairs = [same(0.1, 0), different(0.2, 0, 1)];
  const run = personBootstrap(pairs, { thresholds: [], resamples: 200, random: mulberry32(1) });
  assert.equal(run.auc.length, 200);
  const alone = personBootstrap([same(0.1)], { thresholds: [], resamples: 200, random: mulberry32(1) });
  assert.equal(alone.auc.length, 0);
});

test("an interval takes a hundred values", () => {
  const values = Array.from({ length: 1_001 }, (_, i) => i);
  assert.deepEqual(percentileInterval(values), { low: 25, high: 975 });
  assert.equal(percentileInterval(values.slice(0, 99)), undefined);
});
