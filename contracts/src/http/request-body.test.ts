import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { body, Flag } from "./request-body.ts";

const Body = body({ b: "a" }, { a: z.int().optional(), flag: Flag.default(true) });

test("an alias sets its field unless the field is set, null counts as absent, and unknown fields are ignored", () => {
  assert.deepEqual(Body.parse({ b: 1 }), { a: 1, flag: true });
  assert.deepEqual(Body.parse({ b: 1, a: 2 }), { a: 2, flag: true });
  assert.deepEqual(Body.parse({ b: 1, a: null }), { a: 1, flag: true });
  assert.deepEqual(Body.parse({ c: 3, flag: null }), { flag: true });
  assert.deepEqual(Body.parse({ toString: 1, constructor: 2 }), { flag: true });
});

test("two aliases of one field are refused, and the field's own name wins over both", () => {
  const Aliased = body({ b: "a", c: "a" }, { a: z.array(z.int()).optional() });
  const issues = Aliased.safeParse({ b: [1], c: [2] }).error?.issues;
  assert.deepEqual(
    issues?.map(({ path, message }) => [path, message]),
    [[["a"], "must be sent once, not as b and c"]],
  );
  assert.deepEqual(Aliased.parse({ b: [1], c: null }), { a: [1] });
  assert.deepEqual(Aliased.parse({ b: [1], c: [2], a: [3] }), { a: [3] });
});

test("an unknown field that is likely one that was not sent is an issue, which names it", () => {
  const Named = body(
    { metric: "distance_metric" },
    { threshold: z.number().optional(), distance_metric: z.string().optional() },
  );
  const issues = (value: object) =>
    Named.safeParse(value).error?.issues.map(({ path, message }) => [path, message]);
  assert.deepEqual(issues({ threshhold: 1, distanceMetric: "cosine", other: 1 }), [
    [["threshhold"], "is not a field of this request: write threshold"],
    [["distanceMetric"], "is not a field of this request: write distance_metric"],
  ]);
  // The field itself, or its alias, was sent: nothing is missing.
  assert.deepEqual(Named.parse({ threshhold: 1, threshold: 2 }), { threshold: 2 });
  assert.deepEqual(Named.parse({ metrics: "x", metric: "cosine" }), { distance_metric: "cosine" });
  assert.deepEqual(Named.parse({ threshhold: null }), {});
});

test("of many unknown fields few are looked at", () => {
  const many = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`x${i}`, 1]));
  const Named = body({}, { threshold: z.number().optional() });
  assert.deepEqual(Named.parse({ ...many, threshhold: 1 }), {});
  assert.equal(Named.safeParse({ threshhold: 1, ...many }).success, false);
});

test("a flag accepts booleans and the words for them", () => {
  for (const word of [false, "false", "False", "0", "no"])
    assert.equal(Body.parse({ flag: word }).flag, false);
  for (const word of [true, "true", "TRUE", "1"]) assert.equal(Body.parse({ flag: word }).flag, true);
  for (const word of ["perhaps", 1, [], ""]) assert.ok(!Body.safeParse({ flag: word }).success);
});
