import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { mutations } from "./mutation-list.ts";

test("every rule that a mutation breaks is in its module, once, and breaking it changes it", () => {
  for (const { name, module, rule, broken } of mutations) {
    const source = readFileSync(
      new URL(`../../batcher/src/scheduling/${module}.ts`, import.meta.url),
      "utf8",
    );
    assert.equal(source.split(rule).length - 1, 1, `${name}: "${rule}" in ${module}.ts`);
    assert.notEqual(rule, broken, name);
  }
  assert.equal(new Set(mutations.map(({ name }) => name)).size, mutations.length);
});
