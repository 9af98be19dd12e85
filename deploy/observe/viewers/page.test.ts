import assert from "node:assert/strict";
import test from "node:test";
import { linksPage, searchAddress } from "./page.ts";

const processes = [
  { process: "ingress-1", origin: "http://127.0.0.1:9464" },
  { process: "batcher-1", origin: "http://127.0.0.1:9480" },
];
const links = { zipkin: "http://127.0.0.1:9411", prometheus: "http://127.0.0.1:9090", processes };

test("each question of an operator is one click from its answer", async () => {
  const entries = (await linksPage(links)).split("<div>");
  for (const [question, address] of [
    ["Which part", "http://127.0.0.1:9464/live"],
    ["requests refused", "http://127.0.0.1:9464/live"],
    ["Which team", "http://127.0.0.1:9464/live"],
    ["Redis", "http://127.0.0.1:9464/live"],
    ["Which worker", "http://127.0.0.1:9480/live"],
    ["batch sizes", "http://127.0.0.1:9480/live"],
    ["rollout", "http://127.0.0.1:9480/live"],
    ["one request", "/traces/refused"],
    ["a worker or a batch was lost", "/traces/retried"],
    ["which version", "http://127.0.0.1:9090/graph?g0.tab=1&amp;g0.expr=faceline_build_info"],
    ["every rule", "http://127.0.0.1:9090/alerts"],
    ["batcher-1", "http://127.0.0.1:9480/metrics"],
  ] as const) {
    assert.ok(
      entries.some((each) => each.includes(question) && each.includes(`href="${address}"`)),
      question,
    );
  }
});

test("without Prometheus the page says so, and has no links to it", async () => {
  const page = await linksPage({ ...links, prometheus: undefined });
  assert.match(page, /Prometheus is not installed/);
  assert.doesNotMatch(page, /:9090/);
});

test("a search says until when, so that Zipkin searches at once; there are no other searches", () => {
  assert.equal(
    searchAddress(links.zipkin, "slow", 1_760_000_000_000),
    "http://127.0.0.1:9411/zipkin/?serviceName=faceline-ingress&minDuration=500000&lookback=15m&limit=50&endTs=1760000000000",
  );
  for (const name of ["unknown", "toString", ""]) {
    assert.equal(searchAddress(links.zipkin, name, 0), undefined);
  }
});
