import assert from "node:assert/strict";
import { test } from "node:test";
import { type RateEvidence, rarityScale, raritySentence, rarityWords } from "./rarity.ts";

const of = (pairs: number): RateEvidence => ({ source: "card", pairs });

test("a rate is a count among pairs, and none of them where they show no smaller one", () => {
  const words = [0.0038, 0.00399, 0.0347, 0.0999, 0.1, 0.344, 0.996, 1].map((rate) =>
    rarityWords(rate, of(262)),
  );
  assert.deepEqual(words, [
    "none of 262",
    "1 in 250",
    "1 in 29",
    "1 in 10",
    "10 in 100",
    "34 in 100",
    "99 in 100",
    "99 in 100",
  ]);
  assert.equal(rarityWords(0.0000833, of(100_000)), "1 in 12,000");
  assert.equal(rarityWords(0.00001, of(100_000)), "none of 100,000");
});

test("the sentence is about different people, and has no percentage and no similarity", () => {
  const sentence = raritySentence(0.0000833, of(100_000));
  assert.equal(sentence, "1 in 12,000 pairs of different people look this alike");
  assert.equal(raritySentence(0.0038, of(262)), "None of 262 pairs of different people look this alike");
  assert.doesNotMatch(sentence, /%|similar|sure|probab/);
});

test("the scale is logarithmic, from what the pairs do not show to all pairs, with few labels", () => {
  const { rate, measuredFrom, ticks } = rarityScale(0.01, of(999));
  assert.deepEqual([rate, measuredFrom], [0.5, 0.25]);
  assert.deepEqual(
    ticks.map(({ at, label }) => [at, label]),
    [
      [1, "all"],
      [0.5, "1 in 100"],
      [0, "1 in 10,000"],
    ],
  );
  const least = rarityScale(0.0038, of(262));
  assert.equal(least.rate, least.measuredFrom);
  for (const pairs of [1, 9, 262, 1e5, 1e7, 1e9]) assert.ok(rarityScale(0.5, of(pairs)).ticks.length <= 4);
});
