import assert from "node:assert/strict";
import { test } from "node:test";
import { randomBytes } from "./random.ts";

test("no bytes are returned twice, over many refills of the pool", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 10_000; i++) seen.add(randomBytes(12).toString("hex"));
  assert.equal(seen.size, 10_000);
  assert.equal(randomBytes(4096).length, 4096);
});
