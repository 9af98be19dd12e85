import assert from "node:assert/strict";
import { test } from "node:test";
import { javaMajor } from "./kafka-install.ts";

test("the major version of Java is read in the old and the new format", () => {
  assert.equal(javaMajor('openjdk version "17.0.15" 2025-04-15'), 17);
  assert.equal(javaMajor('openjdk version "21" 2023-09-19'), 21);
  assert.equal(javaMajor('java version "1.8.0_392"'), 8);
  assert.equal(javaMajor("something else"), undefined);
});
