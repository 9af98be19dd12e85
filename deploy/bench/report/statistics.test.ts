import assert from "node:assert/strict";
import test from "node:test";
import { mean, median, quantile } from "./statistics.ts";

test("a quantile is one of the values: the nearest rank", () => {
  const values = [5, 1, 4, 2, 3];
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((share) => quantile(values, share)),
    [1, 3, 5, 5],
  );
  assert.equal(median([4, 1]), 1);
  assert.equal(mean([4, 1]), 2.5);
});
