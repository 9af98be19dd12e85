import assert from "node:assert/strict";
import test from "node:test";
import { linksPage } from "./page.ts";

const parts = {
  zipkin: "http://127.0.0.1:9411",
  prometheus: "http://127.0.0.1:9090",
  operators: [
    { process: "ingress-1", origin: "http://127.0.0.1:9464" },
    { process: "batcher-1", origin: "http://127.0.0.1:9480" },
  ],
};

test("the page leads to traces, charts, alerts and each process", () => {
  const page = linksPage(parts);
  for (const address of [
    "/traces/latest",
    "/traces/retried",
    "http://127.0.0.1:9090/graph",
    "http://127.0.0.1:9090/graph?g0.tab=1&amp;g0.expr=faceline_build_info",
    "http://127.0.0.1:9090/alerts",
    "http://127.0.0.1:9464/live",
    "http://127.0.0.1:9464/metrics",
  ]) {
    assert.ok(page.includes(`href="${address}"`), address);
  }
});

test("each question of an incident is one click from its answer", () => {
  const [, incident = ""] = /In an incident([^]*?)<\/section>/.exec(linksPage(parts)) ?? [];
  for (const [question, address] of [
    ["Which team", "http://127.0.0.1:9464/live"],
    ["Redis", "http://127.0.0.1:9464/live"],
    ["Which worker", "http://127.0.0.1:9480/live"],
    ["refused call", "/traces/refused"],
  ] as const) {
    const line = incident.split("<li>").find((each) => each.includes(question));
    assert.ok(line?.includes(`href="${address}"`), question);
  }
});

test("without Prometheus the page says so, and has no links to it", () => {
  const page = linksPage({ ...parts, prometheus: undefined });
  assert.match(page, /Prometheus is not here/);
  assert.doesNotMatch(page, /:9090/);
});
