// Covers the tables of metrics in docs/operating.
import assert from "node:assert/strict";
import test from "node:test";
import { type MetricDefinition, type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import { read } from "./source.ts";

test("the tables of metrics in docs/operating are the list that the instruments are made from", () => {
  const tables = ["metrics", "process-metrics"].map((name) => read(`docs/operating/${name}.md`)).join("\n");
  const rows = tables.split("\n").filter((line) => line.startsWith("| `"));
  assert.deepEqual(rows, (Object.keys(metricList) as MetricName[]).map(row));
});

function row(name: MetricName): string {
  const { attributes, help }: MetricDefinition = metricList[name];
  // Those of OpenTelemetry's conventions together.
  const names = attributes.map((each) =>
    each.replace(/^(messaging|db|server)\..*/, "$1_*").replaceAll(".", "_"),
  );
  const labels = [...new Set(names)].map((each) => `\`${each}\``).join(", ") || "–";
  return `| \`${prometheusName(name)}\` | ${labels} | ${help} |`;
}
