import assert from "node:assert/strict";
import test from "node:test";
import { findTestFiles, stackTestsInPairs } from "./test-runner.ts";

test("each whole-stack test that runs beside another exists", () => {
  for (const name of stackTestsInPairs) {
    assert.equal(findTestFiles(`tools/e2e/${name}`).length, 1, name);
  }
});
