import assert from "node:assert/strict";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { test } from "node:test";
import { FalseMatchCurve, falseMatchCurve, falseMatchRate } from "./false-match-curve.ts";

test("a larger distance never has a smaller rate, whatever was measured; no rate is 0 or above 1", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = mulberry32(seed);
    const pairs = Math.ceil(random() ** 3 * 3_000);
    // Few decimals: many distances are equal.
    const decimals = Math.floor(random() * 7);
    const measured = Array.from({ length: pairs }, () => Number((2 * random()).toFixed(decimals)));
    const curve = falseMatchCurve(measured.toSorted((a, b) => a - b))!;
    assert.deepEqual(FalseMatchCurve.parse(JSON.parse(JSON.stringify(curve))), curve, `seed ${seed}`);
    const rateAt = falseMatchRate(curve);
    const distances = [...measured, ...Array.from({ length: 2_000 }, () => 2.2 * random()), 0, 1e300];
    const rates = distances.toSorted((a, b) => a - b).map(rateAt);
    for (const [i, rate] of rates.entries()) {
      assert.ok(
        rate > 0 && rate <= 1 && rate >= (rates[i - 1] ?? 0),
        `seed ${seed}: ${rates[i - 1]}, ${rate}`,
      );
      assert.ok(String(rate).length <= 9, `seed ${seed}: more than three digits, ${rate}`);
    }
  }
});

test("below the smallest of n distances the rate is 1 in n + 1, and the r-th stands for r in n + 1", () => {
  const rateAt = falseMatchRate(falseMatchCurve([0.1, 0.2, 0.2, 0.3])!);
  assert.deepEqual([0, 0.099999, 0.1, 0.2, 0.3, 2].map(rateAt), [0.2, 0.2, 0.2, 0.6, 0.8, 0.8]);
  // The logarithm is linear between two points: the root of 0.2 times 0.6.
  assert.equal(rateAt(0.15), 0.346);
});

test("equal distances have the rank of the last of them, also where that is no point of its own", () => {
  const measured = [
    ...Array<number>(14).fill(0.1),
    ...Array.from({ length: 186 }, (_, i) => 0.2 + i / 1_000),
  ];
  const { distances, ranks } = falseMatchCurve(measured)!;
  assert.deepEqual([distances[0], ranks[0]], [0.1, 14]);
});

test("without a pair there is no curve, and one pair shows a rate of at most a half", () => {
  assert.equal(falseMatchCurve([]), undefined);
  const rateAt = falseMatchRate(falseMatchCurve([0.5])!);
  assert.deepEqual([0.4, 0.5, 0.6].map(rateAt), [0.5, 0.5, 0.5]);
});

test("64 points tell the rates of a million pairs to one percent, made-up ones", () => {
  const shareOf = (index: number) => (index + 1) / (1e6 + 1);
  // The quantiles of a logistic distribution.
  const measured = Float64Array.from({ length: 1e6 }, (_, index) => 1 + 0.05 * logit(shareOf(index)));
  const curve = falseMatchCurve(measured)!;
  assert.ok(curve.distances.length <= 64);
  const rateAt = falseMatchRate(curve);
  for (let index = 0; index < 1e6; index = Math.ceil((index + 1) * 1.05)) {
    const ratio = rateAt(measured[index]!) / shareOf(index);
    assert.ok(Math.abs(ratio - 1) < 0.01, `rank ${index + 1}: ${ratio}`);
  }
});

test("a pair of two people gets a rate of at most r in n + 1 with that very probability", () => {
  const random = mulberry32(11);
  const [drawn, n] = [20_000, 19];
  const counts = Array<number>(n + 1).fill(0);
  for (let i = 0; i < drawn; i++) {
    const measured = Array.from({ length: n }, () => normal(random));
    const rate = falseMatchRate(falseMatchCurve(measured.toSorted((a, b) => a - b))!)(normal(random));
    for (let r = Math.max(1, Math.ceil(rate * (n + 1) - 1e-9)); r <= n; r++) counts[r]!++;
  }
  // Four standard deviations of a share of so many draws are less than 0.015.
  for (let r = 1; r < n; r++) {
    assert.ok(Math.abs(counts[r]! / drawn - r / (n + 1)) < 0.015, `r ${r}: ${counts[r]! / drawn}`);
  }
});

test("a stored curve that contradicts itself is refused", () => {
  const curve = { pairs: 3, distances: [0.1, 0.2], ranks: [1, 3] };
  assert.ok(FalseMatchCurve.safeParse(curve).success);
  const wrong = [
    { ...curve, pairs: 4 },
    { ...curve, ranks: [3, 3] },
    { ...curve, distances: [0.2, 0.1] },
    { ...curve, distances: [0.1, 0.2, 0.3] },
    { ...curve, distances: [], ranks: [] },
  ];
  for (const each of wrong) assert.ok(!FalseMatchCurve.safeParse(each).success, JSON.stringify(each));
});

const logit = (share: number): number => Math.log(share / (1 - share));

/** About a distance of two people by cosine, normally distributed. */
function normal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return Math.max(0, 0.17 + 0.03 * radius * Math.cos(2 * Math.PI * random()));
}
