import assert from "node:assert/strict";
import test from "node:test";
import { nonNegativeWeights } from "./least-squares.ts";

const rounded = (weights: number[]) => weights.map((each) => Number(each.toFixed(6)));

test("weights are those that the values were made with", () => {
  const rows = [
    [1, 0.3, 0.04],
    [1, 2, 0.1],
    [1, 8, 3],
    [1, 0.1, 0.01],
  ];
  const values = rows.map(([one, pixels, bytes]) => 0.5 * one! + 4 * pixels! + 20 * bytes!);
  assert.deepEqual(rounded(nonNegativeWeights(rows, values)), [0.5, 4, 20]);
});

test("a weight that would be below 0 is 0, and the others fit what is there", () => {
  const [constant, slope] = nonNegativeWeights(
    [
      [1, 1],
      [1, 2],
      [1, 4],
    ],
    [0.9, 2, 4.1],
  ) as [number, number];
  assert.equal(constant, 0);
  assert.ok(Math.abs(slope - 0.97) < 0.05, `${slope}`);
});

test("columns that cannot be distinguished get one weight", () => {
  assert.deepEqual(
    rounded(
      nonNegativeWeights(
        [
          [1, 2],
          [1, 2],
        ],
        [4, 4],
      ),
    ),
    [4, 0],
  );
});
