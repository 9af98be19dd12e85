// Covers alerts.yml. Starts promtool alone.
import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { alertNames, alertsFile, readRules } from "../testing/observe-files.ts";
import { temporaryFolder } from "../testing/prometheus.ts";
import { findPromtool } from "../testing/promtool.ts";
import { evaluatedAtMinutes, faults, healthySeries, milderFaults } from "./alert-cases.ts";

test("promtool finds no fault in the rules", async (t) => {
  await promtool(t, ["check", "rules", "--lint=all", "--lint-fatal", alertsFile]);
});

test("while the service is well and busy, no alert fires", async (t) => {
  await testRules(t, [
    {
      name: "healthy",
      series: healthySeries,
      expected: alertNames().map((alert) => ({ alert, firing: [] })),
    },
  ]);
});

test("each alert fires on its fault", async (t) => {
  assert.deepEqual(Object.keys(faults).toSorted(), alertNames().toSorted());
  await testRules(t, faultsAtOnce());
});

/** Returns few cases, each a second of promtool: faults that change different series are in one. */
function faultsAtOnce(): Case[] {
  const cases: (Case & { changed: Set<string> })[] = [];
  for (const [alert, { series, firing }] of Object.entries(faults)) {
    const changed = new Set(Object.keys(series));
    const one = cases.find((each) => each.changed.isDisjointFrom(changed));
    if (one === undefined) {
      const all = { ...healthySeries, ...series };
      cases.push({ name: alert, series: all, expected: [{ alert, firing }], changed });
    } else {
      one.name += `, ${alert}`;
      one.changed = one.changed.union(changed);
      Object.assign(one.series, series);
      one.expected.push({ alert, firing });
    }
  }
  return cases;
}

for (const [name, { alert, series, firing }] of Object.entries(milderFaults)) {
  test(name, async (t) => {
    await testRules(t, [{ name, series: { ...healthySeries, ...series }, expected: [{ alert, firing }] }]);
  });
}

async function testRules(t: TestContext, cases: Case[]): Promise<void> {
  const tests = cases.map(({ name, series, expected }) => ({
    name,
    interval: "1m",
    input_series: Object.entries(series).map(([key, values]) => ({ series: key, values })),
    alert_rule_test: expected.map(({ alert, firing }) => ({
      eval_time: `${evaluatedAtMinutes}m`,
      alertname: alert,
      exp_alerts: firing.map(({ value = "", ...labels }) => ({
        exp_labels: labels,
        exp_annotations: annotations(alert, labels, value),
      })),
    })),
  }));
  // JSON is YAML.
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "rules-test.yml");
  writeFileSync(file, JSON.stringify({ rule_files: [alertsFile], evaluation_interval: "2m", tests }));
  await promtool(t, ["test", "rules", file]);
}

async function promtool(t: TestContext, args: string[]): Promise<void> {
  const program = await findPromtool();
  if (program === undefined) return t.skip("NOT CHECKED: there is no promtool, nor apt-get to fetch one");
  const result: SpawnSyncReturns<string> = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(result.status, 0, `${result.stdout}${result.stderr}`);
}

/** Returns the annotations of an alert as Prometheus shows them, with labels and value filled in. */
function annotations(alert: string, labels: Record<string, string>, value: string): Record<string, string> {
  const { annotations = {} } = readRules().find(
    (rule) => rule.alert === alert && rule.labels?.["window"] === labels["window"],
  )!;
  const filled = Object.entries(annotations).map(([name, text]) => [
    name,
    text
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? "")
      .replaceAll(/\{\{ \$value \| \w+ \}\}/g, value),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

type Case = {
  name: string;
  series: Record<string, string>;
  expected: { alert: string; firing: Record<string, string>[] }[];
};
