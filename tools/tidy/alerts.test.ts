// Covers deploy/observe/alerts.yml and the runbook in docs/operating.
import assert from "node:assert/strict";
import test from "node:test";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import {
  alertNames,
  expressionsOf,
  panelsOf,
  readDashboards,
  readRules,
} from "@faceline/deploy/testing/observe-files";
import { labelsOfExpression } from "./promql-labels.ts";
import { anchorsOf, read } from "./source.ts";

const runbook = ["runbook", "runbook-tickets"].map((name) => read(`docs/operating/${name}.md`)).join("\n");
const entries = runbook.split("\n### ").slice(1);
const rules = readRules();

/** Returns the expression of a rule, with those of the recording rules that it reads in their place. */
const wholeExpression = (expr: string): string =>
  rules.reduce((whole, { record, expr }) => {
    if (record === undefined) return whole;
    // A range of a recorded series is a subquery of its expression.
    return whole.replaceAll(`${record}[1d]`, `(${expr})[1d:]`).replaceAll(record, `(${expr})`);
  }, expr);

test("every alert has an entry of its name in the runbook, and every entry an alert", () => {
  assert.deepEqual(
    entries.map((entry) => entry.split("\n")[0]!),
    alertNames(),
  );
  for (const { alert, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
    const link = annotations!["runbook_url"]!.replace("https://faceline.example/", "");
    const [file = "", anchor] = link.split("#");
    assert.ok(anchorsOf(read(file)).includes(anchor!), `${alert}: ${file}#${anchor}`);
  }
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

test("a rule reads series and labels of the list of metrics, and its texts name labels that its alert has", () => {
  for (const { alert, expr, annotations = {} } of rules) {
    const { labels } = labelsOfExpression(wholeExpression(expr));
    const { summary = "", description = "" } = annotations;
    assert.ok(alert === undefined || (summary !== "" && description !== ""), alert);
    for (const [, label] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)) {
      assert.ok(labels.has(label!), alert);
    }
  }
});

test("rules and panels read the series of Faceline's jobs alone, not those that a Collector repeats", () => {
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...readDashboards().flatMap(panelsOf).flatMap(expressionsOf),
  ];
  assert.deepEqual(
    expressions.flatMap((expr) => labelsOfExpression(wholeExpression(expr)).anyJob),
    [],
  );
});

test("a burn alert is due when 2, 5, 10 and 10% of the error budget of 30 days are used", () => {
  const budgets: Record<string, number> = { FacelineErrorBudgetBurn: 0.001, FacelineLatencyBudgetBurn: 0.01 };
  for (const [name, budget] of Object.entries(budgets)) {
    const used = rules
      .filter(({ alert }) => alert === name)
      .map(({ expr, labels }) => {
        const [, share] = /^faceline:\w+_bad:ratio_rate\w+ > ([\d.]+)/.exec(expr)!;
        const [, count, unit] = /^(\d+)([hd])$/.exec(labels!["window"]!)!;
        const days = Number(count) / (unit === "h" ? 24 : 1);
        assert.match(expr, new RegExp(`\\[${labels!["window"]}\\]\\)\\)+ \\* ${days * 86_400} >= 10$`));
        return ((Number(share) / budget) * days) / 30;
      });
    assert.deepEqual(
      used.map((share) => share.toFixed(3)),
      ["0.020", "0.050", "0.100", "0.100"],
    );
  }
});

test("errors of the service are those of the table, and routes those of the compute calls", () => {
  const faults = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].status >= 500);
  const { paths } = JSON.parse(read("contracts/openapi.json")) as { paths: Record<string, object> };
  const routes = Object.keys(paths).filter((path) => "post" in paths[path]!);
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...readDashboards().flatMap(panelsOf).flatMap(expressionsOf),
  ];
  const values = (label: string) =>
    new Set(
      expressions.flatMap((expr) =>
        [...expr.matchAll(new RegExp(`${label}=~"([^"]+)"`, "g"))].map(([, each]) => each!),
      ),
    );
  assert.deepEqual(
    [...values("outcome")].toSorted(),
    [faults.join("|"), `ok|${faults.join("|")}`].toSorted(),
  );
  assert.deepEqual(
    [...values("http_route")].map((each) => each.split("|").toSorted()),
    [routes.toSorted()],
  );
});

test("the latency of the objective is a boundary of the buckets, and a queue is old at half the deadline", () => {
  const buckets = [
    ...rules
      .map(({ expr }) => expr)
      .join()
      .matchAll(/le=~"([^"]+)"/g),
  ].map(([, le]) => le);
  // Prometheus 3 writes whole numbers as 1.0.
  assert.deepEqual([...new Set(buckets)], ["1|1.0"]);
  assert.match(read("runtime/src/metrics/sdk.ts"), /^const seconds = \[[^\]]* 1,/m);
  const [, deadlineMs = ""] = /DEADLINE_DEFAULT_MS: count\([\d_]+, ([\d_]+)\)/.exec(
    read("ingress/src/config.ts"),
  )!;
  const { expr } = rules.find(({ alert }) => alert === "FacelineQueueOld")!;
  assert.ok(expr.endsWith(`> ${Number(deadlineMs.replaceAll("_", "")) / 2 / 1_000}`), expr);
});
