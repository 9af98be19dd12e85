import assert from "node:assert/strict";
import test from "node:test";
import { median, quantile, table } from "./figures.ts";

test("a quantile is a value that was seen: the nearest rank", () => {
  const values = [5, 1, 4, 2, 3];
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((share) => quantile(values, share)),
    [1, 3, 5, 5],
  );
  assert.equal(median([4, 1]), 1);
});

test("a table lines up", () => {
  assert.equal(table(["a", "long"], [["1000", "x"]]), "| a    | long |\n|------|------|\n| 1000 | x    |");
});
