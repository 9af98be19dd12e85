import assert from "node:assert/strict";
import test from "node:test";
import { stack } from "./stack.ts";

test("a worker that cannot do as it was told says so in a sentence", async (t) => {
  const starting = stack(t, { settings: { PRECISION: "int8,sdd=float" } });
  await assert.rejects(starting, ({ message }: Error) => {
    assert.equal(
      message,
      "inference-1 ended with exit code 1. Its last lines:\n  PRECISION names sdd, which is no model",
    );
    return true;
  });
});
