import assert from "node:assert/strict";
import test from "node:test";
import { shapeOf } from "./record-messages.ts";

test("messages with other values have one shape; other fields, types and kinds have another one", () => {
  const message = { kind: "shed", waitMs: 3, tasks: [{ id: "a" }, { id: "b" }], build: null };
  assert.equal(shapeOf(message), shapeOf({ ...message, waitMs: 4, tasks: [{ id: "c" }] }));
  for (const other of [
    { ...message, kind: "late" },
    { ...message, build: {} },
    { ...message, tasks: [] },
    { ...message, tasks: [{ id: "a", cost: 1 }] },
    { ...message, later: 1 },
  ]) {
    assert.notEqual(shapeOf(message), shapeOf(other));
  }
});
