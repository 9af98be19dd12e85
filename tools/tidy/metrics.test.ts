// Covers the table of metrics in deploy/OPERATING.md.
import assert from "node:assert/strict";
import test from "node:test";
import { type MetricDefinition, type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import { read } from "./source.ts";

test("the table of metrics in deploy/OPERATING.md is the list that the instruments are made from", () => {
  const [, section = ""] = read("deploy/OPERATING.md").split("\n## Metrics\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  assert.deepEqual(rows, (Object.keys(metricList) as MetricName[]).map(row));
});

function row(name: MetricName): string {
  const { kind, unit, services, attributes, help }: MetricDefinition = metricList[name];
  const labels = attributes.map((each) => `\`${each.replaceAll(".", "_")}\``).join(", ") || "–";
  const kindAndUnit = `${kind.replace("observed_", "")}, ${unit}`;
  return `| \`${name}\` | \`${prometheusName(name)}\` | ${kindAndUnit} | ${labels} | ${services.join(", ")} | ${help} |`;
}
