import assert from "node:assert/strict";
import test from "node:test";
import { expressionsOf, type Panel } from "./panels/panel.ts";
import { pages } from "./panels.ts";
import { labelsOfExpression } from "./promql/labels.ts";

const panels = pages.flatMap(({ name, rows }) =>
  rows.flatMap((row) => row.panels.map((panel): [string, Panel] => [`${name}: ${panel.title}`, panel])),
);
/** Grafana and the console pages replace it by at least four scrapes. */
const withInterval = (expression: string): string => expression.replaceAll("$__rate_interval", "1m");

test("every expression reads series and labels of the list of metrics", () => {
  for (const [name, panel] of panels) {
    for (const expression of expressionsOf(panel)) {
      assert.doesNotThrow(() => labelsOfExpression(withInterval(expression)), name);
    }
  }
});

test("legends and tables name labels that their series have, and no other label tells two series apart", () => {
  for (const [name, panel] of panels) {
    for (const { expr, labels } of namedLabels(panel)) {
      assert.deepEqual([...labelsOfExpression(withInterval(expr)).labels].toSorted(), labels, name);
    }
  }
});

test("a page has each title once, so that people can name a panel", () => {
  for (const page of pages) {
    const titles = page.rows.flatMap((row) => row.panels.map(({ title }) => title));
    assert.equal(new Set(titles).size, titles.length, page.name);
  }
});

function namedLabels(panel: Panel): { expr: string; labels: string[] }[] {
  switch (panel.kind) {
    case "lines":
    case "stacked":
      return panel.queries.map(({ expr, legend }) => ({
        expr,
        labels: [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!).toSorted(),
      }));
    case "figure":
      return [{ expr: panel.expr, labels: [] }];
    case "table":
      return panel.columns.map(({ expr }) => ({ expr, labels: panel.labels.toSorted() }));
  }
}
