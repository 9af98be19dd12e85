import assert from "node:assert/strict";
import { test } from "node:test";
import { type RateEvidence, raritySentences, rarityWords } from "./rarity.ts";

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

test("the sentences are about different people, and have no percentage and no similarity", () => {
  const sentences = raritySentences({ distance: 0.0000833, threshold: 0.004 }, of(100_000));
  assert.equal(sentences[0], "1 in 12,000 pairs of different people look this alike.");
  assert.equal(sentences[1], "At the threshold, 1 in 250 pairs of different people pass as one person.");
  assert.match(sentences[2]!, /^Estimated from 100,000 pairs of images that the model was tested on\./);
  assert.doesNotMatch(sentences.join(" "), /%|similar|sure|probab/);
  const [none] = raritySentences({ distance: 0.0038, threshold: null }, of(262));
  assert.equal(none, "None of 262 pairs of different people look this alike.");
});

test("without a rate or what it rests on there is one sentence", () => {
  const known = { distance: 0.5, threshold: 0.5 };
  for (const unknown of [
    raritySentences({ ...known, distance: null }, of(262)),
    raritySentences(known, null),
  ])
    assert.deepEqual(unknown, ["How many different people look this alike is not known for this request."]);
});
