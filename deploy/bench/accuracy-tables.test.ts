import assert from "node:assert/strict";
import test from "node:test";
import { rowOf } from "./accuracy-row.ts";
import { betterThan, gapOf } from "./accuracy-tables.ts";

test("who finds more faces or is right more often is named, with the case and by how much; who is worse or equal is not", () => {
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

test("the gap over several ways is what none of them crosses", () => {
  const ways = [
    { sameMax: 0.25, differentMin: 0.5 },
    { sameMax: 0.125, differentMin: 0.375 },
    { sameMax: null, differentMin: null },
  ].map((each) => ({ right: 1, of: 1, equalErrorRate: 0, ...each }));
  assert.deepEqual(gapOf(ways), { sameMax: 0.25, differentMin: 0.375 });
});
