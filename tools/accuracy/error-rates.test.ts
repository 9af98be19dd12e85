// Distances are drawn, so that the true rates are known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { errorRates } from "./error-rates.ts";

test("rates are shares of the pairs of each kind, at the threshold and at an FMR of 1 and 0.1%", () => {
  const { pairs_same, pairs_different, fnmr, fmr, ...atFmr } = errorRates(pairs, 0.3)!;
  assert.deepEqual([pairs_same, pairs_different], [400, 19_500]);
  const [same, different] = [true, false].map((kind) => distancesOf(kind));
  assert.equal(
    fnmr.value,
    share(same!, (distance) => distance > 0.3),
  );
  assert.equal(
    fmr.value,
    share(different!, (distance) => distance <= 0.3),
  );
  const [at1 = 0, at01 = 0] = [195, 19].map((rank) => different!.toSorted((a, b) => a - b)[rank]!);
  assert.deepEqual(
    [atFmr.fnmr_at_fmr_1_percent.value, atFmr.fnmr_at_fmr_0_1_percent.value],
    [at1, at01].map((limit) => share(same!, (distance) => distance >= limit)),
  );
});

test("each interval holds its rate and the true one", () => {
  const rates = errorRates(pairs, 0.3)!;
  // Uniform from 0 to 0.4, and from 0.25 to 1.25.
  const truth = {
    fnmr: 0.25,
    fmr: 0.05,
    fnmr_at_fmr_1_percent: 0.35,
    fnmr_at_fmr_0_1_percent: 0.3725,
  };
  for (const [name, rate] of Object.entries(truth)) {
    const { value, low, high } = rates[name as keyof typeof truth];
    assert(low <= value && value <= high, name);
    assert(low <= rate && rate <= high, `${name}: ${rate} is not within ${low} to ${high}`);
  }
});

test("without an error an interval still ends above 0", () => {
  const apart = pairs.map((pair) => ({ ...pair, distance: pair.same ? 0.1 : 0.9 }));
  const { pairs_same: _, pairs_different: __, ...rates } = errorRates(apart, 0.5)!;
  for (const [name, { value, high }] of Object.entries(rates))
    assert(value === 0 && high > 0 && high < 0.2, name);
});

test("pairs of one kind alone have no rates", () => {
  const ofOnePerson = pairs.filter(({ same }) => same);
  assert.deepEqual([errorRates([], 0.3), errorRates(ofOnePerson, 0.3)], [null, null]);
});

const random = mulberry32(417);
/** 40 people with five images each, of which every two people meet in some. */
const pairs = Array.from({ length: 200 }, (_, one) =>
  Array.from({ length: one }, (_, other) => {
    const people = [one % 40, other % 40] as const;
    const same = people[0] === people[1];
    return { same, people, distance: rounded(same ? 0.4 * random() : 0.25 + random()) };
  }),
).flat();
const distancesOf = (kind: boolean) => pairs.flatMap(({ same, distance }) => (same === kind ? distance : []));

function share(distances: readonly number[], wanted: (distance: number) => boolean): number {
  return rounded(distances.filter(wanted).length / distances.length, 5);
}

function rounded(value: number, digits = 6): number {
  return Number(value.toFixed(digits));
}
