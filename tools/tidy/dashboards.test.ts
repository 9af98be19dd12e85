// Covers deploy/observe/generated, and which metrics are on a panel.
import assert from "node:assert/strict";
import test from "node:test";
import { type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { alertNames } from "@faceline/deploy/observe/alerts/alert-rules";
import { generatedFiles } from "@faceline/deploy/observe/generated";
import { expressionsOf } from "@faceline/deploy/observe/panels/panel";
import { pages } from "@faceline/deploy/observe/panels";
import { labelsOfExpression } from "@faceline/deploy/observe/promql/labels";
import { findFiles, read } from "./source.ts";

const folder = "deploy/observe/generated";

test("dashboards, console pages and alerts are those of deploy/observe; npm run fix writes them", () => {
  const files = generatedFiles();
  const checkedIn = findFiles(`${folder}/{alerts.yml,grafana/*,consoles/*}`).map((file) =>
    file.slice(folder.length + 1),
  );
  assert.deepEqual(checkedIn, [...files.keys()].toSorted());
  for (const [file, content] of files) {
    assert.ok(read(`${folder}/${file}`) === content, `${file} is not up to date: npm run fix`);
  }
});

test("every metric is on a panel of deploy/observe/panels, or in the list of those that are not", () => {
  const shown = new Set<MetricName>();
  for (const panel of pages.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels))) {
    for (const expression of expressionsOf(panel)) {
      const { metrics } = labelsOfExpression(expression.replaceAll("$__rate_interval", "1m"));
      for (const metric of metrics) shown.add(metric);
    }
  }
  const missing = (Object.keys(metricList) as MetricName[]).filter((metric) => !shown.has(metric));
  assert.deepEqual(missing, onNoPanel);
});

test("every page has a section of docs/operating/dashboards.md, and every runbook of a panel is an alert's", () => {
  const sections = read("docs/operating/dashboards.md").match(/^## .+$/gm) ?? [];
  const titles = pages.map(({ title }) => `## ${title}`);
  assert.deepEqual(sections.toSorted(), titles.toSorted());
  for (const { runbook } of pages.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels))) {
    if (runbook !== undefined) assert.ok(alertNames().includes(runbook), runbook);
  }
});

test("every alert has a panel that links to its entry in the runbook", () => {
  const panels = pages.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const linked = panels.map(({ runbook }) => runbook);
  assert.deepEqual(
    alertNames().filter((alert) => !linked.includes(alert)),
    [],
  );
});

/** Metrics that no panel shows, with the reason. */
const onNoPanel: MetricName[] = [];
