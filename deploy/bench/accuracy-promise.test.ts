import assert from "node:assert/strict";
import test from "node:test";
import type { Row } from "./accuracy.ts";
import { brokenPromises } from "./accuracy-promise.ts";
import { rowOf } from "./accuracy-row.ts";

const judged = {
  usual: "ours",
  reference: "theirs",
  cases: [
    { name: "as it is", how: "" },
    { name: "dark", how: "values times 0.25" },
  ],
};

test("as they are, every face is found and every verdict right, whatever the reference does", () => {
  assert.deepEqual(broken({ "as it is, ours": [25, 300, 300], "as it is, theirs": [20, 200, 200] }), []);
  assert.deepEqual(broken({ "as it is, ours": [24, 300, 299] }), [
    "ours, as it is: 24 of 25 faces found",
    "ours, as it is: 299 of 300 right by euclidean",
  ]);
});

test("of worse copies, one verdict in a hundred may be lost beside the reference, and not one more", () => {
  assert.deepEqual(broken({ "dark, ours": [20, 294, 294], "dark, theirs": [20, 297, 297] }), []);
  assert.deepEqual(broken({ "dark, ours": [20, 293, 294], "dark, theirs": [20, 297, 297] }), [
    "ours, dark: 293 of 300 right by cosine, of the reference 297",
  ]);
});

test("of 25 faces, one in a hundred is none", () => {
  assert.deepEqual(broken({ "dark, ours": [23, 300, 300], "dark, theirs": [24, 300, 300] }), [
    "ours, dark: 23 of 25 faces found, of the reference 24",
  ]);
});

test("what is better than the reference is no fault", () => {
  assert.deepEqual(broken({ "dark, theirs": [2, 20, 20] }), []);
});

/** Faces, and verdicts right by cosine and by euclidean; what is not told is whole. */
function broken(told: Record<string, [faces: number, cosine: number, euclidean: number]>): string[] {
  const rows = judged.cases.flatMap(({ name }) =>
    [judged.usual, judged.reference].map((configuration): Row => {
      const [detected, cosine, euclidean] = told[`${name}, ${configuration}`] ?? [25, 300, 300];
      return rowOf(name, configuration, [detected, cosine, euclidean]);
    }),
  );
  return brokenPromises(judged, rows);
}
