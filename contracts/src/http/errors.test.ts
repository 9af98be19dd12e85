import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { errorTable } from "./errors.ts";

test("the table of docs/using/errors.md is errorTable", () => {
  const guide = readFileSync(new URL("../../../docs/using/errors.md", import.meta.url), "utf8");
  const rows = guide.split("\n").filter((line) => /^\| \d{3} \|/.test(line));
  const codes = Object.entries(errorTable).map(
    ([code, { status, when, next }]) => `| ${status} | \`${code}\` | ${when} | ${next} |`,
  );
  assert.deepEqual(rows, codes);
});

test("errors are ordered by status, and every text is a sentence", () => {
  const statuses = Object.values(errorTable).map(({ status }) => status);
  assert.deepEqual(
    statuses,
    statuses.toSorted((a, b) => a - b),
  );
  for (const { title, when, next } of Object.values(errorTable)) {
    assert.match(title, /^[A-Z][^.|]+$/);
    for (const sentence of [when, next]) assert.match(sentence, /^[A-Z`][^|]+\.$/);
  }
});
