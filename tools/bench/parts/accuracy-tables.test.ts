// The figures are made up.
import assert from "node:assert/strict";
import test from "node:test";
import type { AccuracyRow } from "@faceline/accuracy/messages";
import { accuracyTables, failedChecks } from "./accuracy-tables.ts";
import { accuracyRow, plan } from "./testing/accuracy-rows.ts";

test("without degradation every face must be found and every verdict be right, whatever float does", () => {
  assert.deepEqual(failed({}), []);
  assert.deepEqual(
    failed({ "as it is, M/d": { notEnrolled: 1, fnmr: 0.5 }, "as it is, float": { fnmr: 0.5 } }),
    ["M/d finds no face in 1 of 25 images", "M/d is wrong about 10.0% of the pairs"],
  );
});

test("with degradation one image and one verdict in a hundred may be lost against float, and no more", () => {
  assert.deepEqual(
    failed({ "mask, M/d": { notEnrolled: 3, fmr: 0.0124 }, "mask, float": { notEnrolled: 2 } }),
    [],
  );
  assert.deepEqual(
    failed({ "mask, M/d": { notEnrolled: 4, fmr: 0.013 }, "mask, float": { notEnrolled: 2 } }),
    ["M/d, mask: 4 not enrolled, 2 in float", "M/d, mask: wrong about 1.0%, in float 0%"],
  );
});

test("the tables hold recognisers with one detector, detectors with one recogniser, and their costs", () => {
  const memoryMib = { "M/d": 300, "N/d": 310, "M/e": 280 };
  const tables = accuracyTables(plan, { rows: rowsWith({ "mask, N/d": { fnmr: 0.125 } }), memoryMib });
  assert.match(tables, /mask \(0 of 25\) +\| M +\| 0 \(0 to 30\.0\) +\| 0 /);
  assert.match(tables, /\| N +\| .* \| 12\.5 \(0 to 30\.0\) +\|/);
  assert.match(tables, /\| e +\| 0 +\| 0 +\|/);
  assert.match(tables, /\| N\/d +\| 20\.0 +\| 310 \|/);
  assert.doesNotMatch(tables, /float \|/);
});

/** Checks of the made-up rows with changes, by "condition, lane". */
const failed = (changes: Changes) => failedChecks(plan, rowsWith(changes));

function rowsWith(changes: Changes): AccuracyRow[] {
  return plan.conditions.flatMap(({ name }) =>
    plan.lanes.map(({ name: lane }) => accuracyRow(lane, name, changes[`${name}, ${lane}`] ?? {})),
  );
}

type Changes = Record<string, Parameters<typeof accuracyRow>[2]>;
