import assert from "node:assert/strict";
import { test } from "node:test";
import { referencesOf } from "./references.ts";

test("candidates with one name are references of one person, and those without a name stand alone", () => {
  const people = ["ann", "", "bob", "ann", ""];
  assert.deepEqual(
    people.map((_, index) => referencesOf(people, index)),
    [[0, 3], [1], [2], [0, 3], [4]],
  );
});
