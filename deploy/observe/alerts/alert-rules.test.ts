import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { openLog } from "@faceline/runtime/log";
import { MetricsConfig } from "@faceline/runtime/metrics/config";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import { labelsOfExpression } from "../promql/labels.ts";
import { alertRules, durationOf } from "./alert-rules.ts";
import { symptoms } from "./alert-table.ts";
import { burnRates, computeRoutes, limits, objectives } from "./objectives.ts";

const expressions = (timeScale?: number): string[] =>
  alertRules(timeScale === undefined ? {} : { timeScale }).flatMap(({ rules }) =>
    rules.map(({ expr }) => expr),
  );

test("every expression reads series and labels of the list of metrics", () => {
  for (const { bad, all } of objectives) for (const part of [bad, all]) labelsOfExpression(part("5m"));
  for (const { expr } of symptoms) labelsOfExpression(expr((minutes) => `${minutes}m`));
});

test("a summary names only labels that its series have", () => {
  for (const { name, expr, summary } of symptoms) {
    const { labels } = labelsOfExpression(expr((minutes) => `${minutes}m`));
    for (const [, label] of summary.matchAll(/\$labels\.(\w+)/g)) assert.ok(labels.has(label!), name);
  }
});

test("a test on a running stack has minutes as seconds, and the same thresholds", () => {
  const [usual, scaled] = [expressions(), expressions(60)];
  const windowsOf = (all: string[]) =>
    new Set(all.flatMap((each) => [...each.matchAll(/\[(\w+)\]/g)].map(([, w]) => w)));
  assert.deepEqual([...windowsOf(usual)], ["5m", "30m", "1h", "2h", "6h", "1d", "3d", "15m"]);
  assert.deepEqual([...windowsOf(scaled)], ["5s", "30s", "1m", "2m", "6m", "24m", "72m", "15s"]);
  const holding = alertRules({ timeScale: 60 }).flatMap(({ rules }) =>
    rules.map((rule) => ("for" in rule ? rule.for : undefined)),
  );
  assert.deepEqual([...new Set(holding)], [undefined, "1s", "5s", "15s"]);
});

test("durations are written in their largest whole unit", () => {
  assert.deepEqual([5, 90, 3_600, 86_400, 4_320].map(durationOf), ["5s", "90s", "1h", "1d", "72m"]);
});

test("a burn alert is due when 2, 5, 10 and 10 % of the budget are gone", () => {
  const gone = burnRates.map(
    ({ factor, longMinutes }) => (factor * longMinutes) / (limits.budgetDays * 24 * 60),
  );
  assert.deepEqual(
    gone.map((share) => share.toFixed(3)),
    ["0.020", "0.050", "0.100", "0.100"],
  );
});

test("the routes of the objectives are those of the compute calls", () => {
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../contracts/openapi.json"), "utf8"),
  );
  const paths = Object.entries<object>(document.paths).filter(([, methods]) => "post" in methods);
  assert.deepEqual(paths.map(([path]) => path).toSorted(), computeRoutes.toSorted());
});

test("the latency of the objective is a boundary of the buckets", async () => {
  const log = openLog("test", "silent");
  const config = readConfig(MetricsConfig, {});
  await using metrics = await openMetrics({ config, page: true, service: "ingress", id: "1", log });
  const attributes = {
    "http.request.method": "POST",
    "http.route": "/verify",
    "http.response.status_code": 200,
  };
  metrics.record("http.server.request.duration", 0, attributes);
  assert.match(await metrics.page(), new RegExp(`duration_seconds_bucket\\{.*le="${limits.latencySeconds}"`));
});
