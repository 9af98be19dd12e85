import assert from "node:assert/strict";
import test from "node:test";
import { type AccuracyRow, betterThan, failedChecks, gapOf } from "./accuracy.ts";

const plan = {
  usual: "ours",
  reference: "theirs",
  cases: [
    { name: "as it is", how: "" },
    { name: "dark", how: "values times 0.25" },
  ],
};

test("without degradation every face must be found and every verdict be right, whatever the reference does", () => {
  assert.deepEqual(failed({ "as it is, ours": [25, 300, 300], "as it is, theirs": [20, 200, 200] }), []);
  assert.deepEqual(failed({ "as it is, ours": [24, 300, 299] }), [
    "ours, as it is: 24 of 25 faces found",
    "ours, as it is: 299 of 300 right by euclidean",
  ]);
});

test("with degradation one verdict in a hundred may be lost against the reference, and no more", () => {
  assert.deepEqual(failed({ "dark, ours": [20, 294, 294], "dark, theirs": [20, 297, 297] }), []);
  assert.deepEqual(failed({ "dark, ours": [20, 293, 294], "dark, theirs": [20, 297, 297] }), [
    "ours, dark: 293 of 300 right by cosine, 297 by the reference",
  ]);
});

test("one in a hundred of 25 faces is none", () => {
  assert.deepEqual(failed({ "dark, ours": [23, 300, 300], "dark, theirs": [24, 300, 300] }), [
    "ours, dark: 23 of 25 faces found, 24 by the reference",
  ]);
});

test("being better than the reference fails no check", () => {
  assert.deepEqual(failed({ "dark, theirs": [2, 20, 20] }), []);
});

/** Faces, and verdicts right by cosine and by euclidean; all of them where nothing is given. */
function failed(counts: Record<string, [faces: number, cosine: number, euclidean: number]>): string[] {
  const rows = plan.cases.flatMap(({ name }) =>
    [plan.usual, plan.reference].map((configuration) => {
      const [detected, cosine, euclidean] = counts[`${name}, ${configuration}`] ?? [25, 300, 300];
      return rowOf(name, configuration, [detected, cosine, euclidean]);
    }),
  );
  return failedChecks(plan, rows);
}

test("a configuration that finds more faces or is right more often is named with the case and the difference", () => {
  const rows = [
    rowOf("dark", "ours", [20, 298, 300]),
    rowOf("dark", "more faces", [21, 297, 300]),
    rowOf("dark", "more right", [20, 300, 300]),
    rowOf("dark", "worse", [19, 298, 299]),
    rowOf("blur", "ours", [20, 290, 290]),
    rowOf("blur", "more faces", [20, 290, 291]),
    rowOf("blur", "more right", [20, 290, 290]),
    rowOf("blur", "worse", [20, 290, 290]),
  ];
  assert.deepEqual(betterThan("ours", rows), [
    "more faces (dark faces +1; blur euclidean +1)",
    "more right (dark cosine +2)",
  ]);
});

test("the gap over several configurations is the one that none of them crosses", () => {
  const tallies = [
    { sameMax: 0.25, differentMin: 0.5 },
    { sameMax: 0.125, differentMin: 0.375 },
    { sameMax: null, differentMin: null },
  ].map((each) => ({ right: 1, of: 1, equalErrorRate: 0, ...each }));
  assert.deepEqual(gapOf(tallies), { sameMax: 0.25, differentMin: 0.375 });
});

/** 25 pictures and 300 pairs in one case and configuration. */
function rowOf(
  name: string,
  configuration: string,
  [detected, cosine, euclidean]: [faces: number, cosine: number, euclidean: number],
): AccuracyRow {
  const margin = { of: 300, sameMax: 0.1, differentMin: 0.2, equalErrorRate: 0 };
  return {
    case: name,
    configuration,
    of: 25,
    detected,
    missed: [],
    cosine: { right: cosine, ...margin },
    euclidean: { right: euclidean, ...margin },
    offReference: null,
    medianMs: 1,
  };
}
