// Covers the runbook in deploy/OPERATING.md; dashboards.test.ts compares the generated alerts.yml.
import assert from "node:assert/strict";
import test from "node:test";
import { alertNames, runbookOf } from "@faceline/deploy/observe/alerts/alert-rules";
import { guideAnchor } from "@faceline/deploy/observe/panels/panel";
import { labelsOfExpression } from "@faceline/deploy/observe/promql/labels";
import { read } from "./source.ts";

const [, section = ""] = read("deploy/OPERATING.md").split("\n## Runbook\n");
const [runbook = ""] = section.split("\n## ");
const entries = runbook.split("\n### ").slice(1);

test("every alert has an entry of its name in the runbook, and every entry an alert", () => {
  const headings = entries.map((entry) => entry.split("\n")[0]!);
  assert.deepEqual(headings, alertNames());
  for (const name of headings) assert.equal(runbookOf(name), `deploy/OPERATING.md#${guideAnchor(name)}`);
});

test("an entry says what the alert means, what to look at, and what to do", () => {
  for (const entry of entries) {
    const parts = [...entry.matchAll(/^\*\*(.+?)\.\*\* /gm)].map(([, part]) => part);
    assert.deepEqual(parts, ["Means", "Look at", "Do"], entry.split("\n")[0]);
  }
});

test("expressions in the runbook read series and labels of the list of metrics", () => {
  const expressions = [...runbook.matchAll(/`([^`]+)`/g)]
    .map(([, text]) => text!.replaceAll(/\s+/g, " "))
    .filter((text) => /\(|^(faceline|http|redis|process)_/.test(text));
  assert.ok(expressions.length > 10);
  for (const expression of expressions) assert.doesNotThrow(() => labelsOfExpression(expression));
});
