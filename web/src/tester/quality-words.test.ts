import assert from "node:assert/strict";
import { test } from "node:test";
import { qualityWords } from "./quality-words.ts";

test("each issue is a sentence; a face without issues, or that was not measured, has none", () => {
  assert.equal(
    qualityWords(["blurred", "too_dark"]),
    "The face is blurred: hold still, or focus. The face is dark: light it from the front.",
  );
  for (const issues of [[], null, undefined]) assert.equal(qualityWords(issues), "");
});
