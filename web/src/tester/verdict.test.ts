import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictOf } from "./verdict.ts";

test("the words say on which side of the threshold a distance is, and within a tenth of it that it is close", () => {
  const kinds = [0, 0.089, 0.091, 0.1, 0.109, 0.111, 1].map(
    (distance) => verdictOf({ distance, threshold: 0.1 }).kind,
  );
  assert.deepEqual(kinds, ["same", "same", "close", "close", "close", "different", "different"]);
});

test("a distance close to the threshold counts as the API says", () => {
  const within = verdictOf({ distance: 0.1, threshold: 0.1 });
  assert.match(
    `${within.headline} ${within.explanation}`,
    /Just within the threshold.* counts as the same person/,
  );
  const beyond = verdictOf({ distance: 0.101, threshold: 0.1 });
  assert.match(
    `${beyond.headline} ${beyond.explanation}`,
    /Just beyond the threshold.* counts as different people/,
  );
});

test("no verdict claims an identity or a percentage", () => {
  for (const distance of [0.01, 0.1, 0.5]) {
    const { headline, explanation } = verdictOf({ distance, threshold: 0.1 });
    assert.doesNotMatch(headline + explanation, /%|verified|match/i);
  }
});
